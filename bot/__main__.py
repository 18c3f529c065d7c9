"""Runs the command line: `python -m bot`."""

import gc
import sys

gc.disable()  # what is imported stays, so looking for garbage in it would only take time
try:
    from bot.cli.main import main

    gc.freeze()
    gc.enable()
    main()
except KeyboardInterrupt:  # before the command had begun, which says more
    print("Stopped.", file=sys.stderr)
    sys.exit(130)
