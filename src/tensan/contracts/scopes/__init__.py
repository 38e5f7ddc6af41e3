"""What holds while a block runs: the default device, and what is made of conditions that frameworks pass over or only warn of."""
