"""python -m tests.helpers.milvus_server FOLDER PORT: Milvus Lite, until its input ends; prints its port."""

import sys

from milvus_lite.adapter.grpc.server import start_server_in_thread

server, database, port = start_server_in_thread(sys.argv[1], port=int(sys.argv[2]))
print(port, flush=True)
sys.stdin.read()
server.stop(grace=1)
database.close()
