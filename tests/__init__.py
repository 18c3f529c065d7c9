"""The tests; they follow the tree of what they test."""

import os

# Before torch, faiss or scikit-learn is imported. Their threads would spin while they wait for each
# other, and take the cores from the test beside them.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
