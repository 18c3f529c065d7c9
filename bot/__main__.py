"""Runs the command line: `python -m bot`."""

import sys

try:
    from bot.cli.main import main

    main()
except KeyboardInterrupt:  # before the command had begun, which says more
    print("Stopped.", file=sys.stderr)
    sys.exit(130)
