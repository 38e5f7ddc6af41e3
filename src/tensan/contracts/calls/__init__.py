"""Contracts on calls: what goes in, what comes out, what may be raised. The public door is `tensan.contract`."""
