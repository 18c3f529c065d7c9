"""What a start imports, and what it leaves for later."""

import json
import subprocess
import sys

SLOW = ("torch", "xgboost", "sklearn", "matplotlib", "networkx")
"""Together these take some three seconds: a login would wait for them."""


def test_a_login_waits_for_no_slow_import() -> None:
    code = (
        "import json, sys, bot.run; from bot.client import command_modules; command_modules();"
        f"print(json.dumps([name for name in {SLOW} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
