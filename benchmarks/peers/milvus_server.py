""".peers/bin/python benchmarks/peers/milvus_server.py FOLDER: a Milvus until its input ends; prints its port.

The wheel `milvus` holds Milvus 2.3.5, the last that came as one. It listens on all interfaces, without a
password.
"""

import sys

from milvus import default_server

default_server.set_base_dir(sys.argv[1])
try:
    default_server.start()
    print(default_server.listen_port, flush=True)
    sys.stdin.read()
finally:
    default_server.stop()
