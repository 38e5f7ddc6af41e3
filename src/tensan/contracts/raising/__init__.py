"""What a module raises, and when: its raise sites, inputs that break promises, and how it behaves compiled, exported and traced."""
