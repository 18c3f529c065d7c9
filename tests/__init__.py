"""One thread a process for numpy and torch, set before anything imports them.

The workers of a run fill the cores already, and threads that wait for each other burn the time of both:
training the small models of the tests takes five times the CPU with two.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
