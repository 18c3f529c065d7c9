"""The benchmarks behind every number in the docs, one command each: python -m benchmarks.NAME."""
