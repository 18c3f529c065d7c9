"""make bench: every benchmark, one after the other."""

import subprocess
import sys

for name in (
    "loading",
    "embedding",
    "vectors",
    "words",
    "replies",
    "replies --reading",
    "replies --ask",
    "fairness",
    "libraries",
    "full_text",
):
    print(f"== python -m benchmarks.{name}", flush=True)
    subprocess.run([sys.executable, "-m", *f"benchmarks.{name}".split()], check=True)
