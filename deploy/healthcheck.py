"""Ask a running Labmate on this machine how it is: exit 0 if it is well, else 1 with the reasons."""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

SECONDS = 8


def main() -> int:
    """Ask /healthz on the port of HTTP_LISTEN."""
    host, _, port = os.environ.get("HTTP_LISTEN", "127.0.0.1:8090").rpartition(":")
    # A server that listens on every address also listens on loopback.
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    try:
        with build_opener(ProxyHandler({})).open(f"http://{host}:{port}/healthz", timeout=SECONDS):
            return 0
    except HTTPError as error:
        try:
            print("; ".join(json.load(error).get("wrong", [])) or f"/healthz answers {error.code}")
        except ValueError:
            print(f"/healthz answers {error.code}")
    except OSError as error:
        print(f"/healthz can't be reached: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
