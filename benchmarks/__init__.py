"""Every number that the docs quote, each from one command: python -m benchmarks.NAME."""
