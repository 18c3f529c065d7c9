"""Without a token and without a terminal, as under a supervisor, there is nothing to run."""

import signal
import subprocess
import urllib.request

import pytest

from tests.helpers.process import PATIENCE, begin, run, without_discord
from tests.helpers.sample import lay_sample


def test_a_supervisor_without_a_token_is_told_which_setting_is_missing(tmp_path):
    process = begin("run", env=without_discord(tmp_path / "lab"), stdin=subprocess.DEVNULL)
    said, _ = process.communicate(timeout=PATIENCE)
    [line] = said.decode().splitlines()
    assert line.startswith("DISCORD_TOKEN is not set, and nobody can type here.")
    assert "Put it into" in line
    assert process.returncode == 2, "the systemd unit doesn't start it again"


def test_input_that_ends_before_a_command_is_told_the_same(tmp_path):
    done = run("run", folder=tmp_path, stdin="\n")
    assert done.returncode == 2
    assert "DISCORD_TOKEN is not set, and nobody can type here." in done.stderr
    assert run("run", folder=tmp_path, stdin="/help\n").returncode == 0


@pytest.mark.parametrize("option", ["--port", "--browser"])
def test_the_page_is_served_without_a_terminal_until_it_is_told_to_end(tmp_path, option):
    lay_sample(tmp_path)
    command = ["run", option, *(["47113"] if option == "--port" else [])]
    env = without_discord(tmp_path) | {"BROWSER": "true"}
    process = begin(*command, env=env, stdin=subprocess.DEVNULL)
    try:
        while b"In a browser" not in (line := process.stdout.readline()):
            assert line
        address = line.decode().split()[-1]
        assert urllib.request.urlopen(address, timeout=PATIENCE).status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()
