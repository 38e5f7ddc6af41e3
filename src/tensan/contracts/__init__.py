"""What users promise, and what is made of it when a promise does not hold: exceptions, shapes, contracts."""
