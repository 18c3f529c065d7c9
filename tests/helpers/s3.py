"""A server that speaks S3, on loopback, for as long as the tests of this process run."""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass

from moto.server import ThreadedMotoServer

KEY, SECRET = "a-key", "not-so-secret"


@dataclass
class Bucket:
    """A bucket on a server of its own."""

    server: ThreadedMotoServer
    url: str
    name: str = "labmate"

    @property
    def place(self) -> str:
        """As LABMATE_FILES has it."""
        return f"s3://{self.name}/files"

    def stop(self) -> None:
        """Let the server go away."""
        self.server.stop()


def new_bucket() -> Bucket:
    """An empty bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    bucket = Bucket(server, f"http://{host}:{port}")
    make = urllib.request.Request(f"{bucket.url}/{bucket.name}", method="PUT")
    urllib.request.urlopen(make).close()
    return bucket
