"""The tests; they follow the tree of what they test.

numpy and torch get one thread a process, set before anything imports them. The workers of a run fill the
cores already, and threads that wait for each other burn the time of both: training the small models of the
tests takes five times the CPU with two.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
