"""What deploy/ says agrees with the program, and holds what hardening promises."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import yaml

from bot.closes import ACT
from bot.ending import FOR_THREADS, IN_ORDER
from bot.settings import Settings
from tests.helpers.paths import ROOT

DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # systemd's names have capitals
    parser.read(DEPLOY / "labmate.service")
    return parser


def test_the_unit_restarts_but_where_a_person_must_act(unit):
    service = unit["Service"]
    assert service["Restart"] == "always"
    assert set(service["RestartPreventExitStatus"].split()) == {"2", str(ACT)}
    assert int(service["TimeoutStopSec"]) > IN_ORDER + FOR_THREADS
    assert service["User"] == "labmate"


def test_the_unit_is_hardened(unit):
    tool = shutil.which("systemd-analyze")
    if tool is None:  # then at least what weighs most is there
        service = unit["Service"]
        for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "RestrictNamespaces"):
            assert service[name] == "yes"
        assert (service["ProtectSystem"], service["CapabilityBoundingSet"]) == ("strict", "")
        return
    done = subprocess.run(
        [tool, "security", "--offline=true", "--threshold=20", str(DEPLOY / "labmate.service")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr


def test_the_compose_file_gives_no_more_than_needed():
    [service] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].values()
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert int(service["stop_grace_period"].removesuffix("s")) > IN_ORDER + FOR_THREADS
    assert set(service["environment"]) <= {name.upper() for name in Settings.model_fields}
    assert "data:/data" in service["volumes"]


def options_of(command: list[str]) -> dict[str, object]:
    """What a container's command sets of the settings, checked by the command line itself."""
    run, *options = command
    assert run == "run"
    told = dict(zip(options[::2], options[1::2], strict=True))
    settings = Settings(
        _env_file=None,
        discord_token="x",
        labmate_shards=told.pop("--shards"),
        labmate_shards_of=told.pop("--of"),
    )
    assert not told
    assert settings.shards is not None
    return {"numbers": settings.shards.numbers, "of": settings.shards.of}


def test_the_cluster_holds_every_shard_once_and_gives_no_more_than_needed():
    services = yaml.safe_load((DEPLOY / "compose.cluster.yaml").read_text())["services"]
    database = services.pop("postgres")
    held = [options_of(service["command"]) for service in services.values()]
    assert sorted(number for one in held for number in one["numbers"]) == list(range(held[0]["of"]))
    assert len({one["of"] for one in held}) == 1
    folders = [service["volumes"] for service in services.values()]
    assert len({str(folder) for folder in folders}) == len(folders), "each machine has a folder of its own"
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert set(service["environment"]) <= {name.upper() for name in Settings.model_fields}
        extras = service["build"]["args"]["EXTRAS"].split(",")
        assert set(extras) <= set(
            tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        )
        assert int(service["stop_grace_period"].removesuffix("s")) > IN_ORDER + FOR_THREADS
    assert "ports" not in database, "only Labmate reaches it"


def test_the_example_for_kubernetes_hands_over_before_it_ends_anything():
    [deployment] = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    spec = deployment["spec"]
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    pod = spec["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > IN_ORDER + FOR_THREADS
    [container] = pod["containers"]
    assert options_of(container["args"])["of"] == 16
    assert {one["name"] for one in container["env"]} <= {name.upper() for name in Settings.model_fields}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["readinessProbe"]["exec"]["command"][-1] == "/opt/labmate/healthcheck.py"


def test_the_image_runs_as_nobody_special_and_copies_all_packages():
    lines = (DEPLOY / "Dockerfile").read_text()
    last = lines[lines.rindex("\nFROM ") :]
    assert re.search(r"^USER 10001:10001$", last, re.M)
    assert "HEALTHCHECK" in last
    assert lines.index("grep -i '^torch=='") < lines.index('constraints.txt ".${EXTRAS')
    allowed = (ROOT / ".dockerignore").read_text().split()
    for package in ("bot", "commands", "index", "data"):
        assert f"COPY {package} {package}" in lines
        assert f"!{package}" in allowed
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", lines, re.M):
        for name in copied.split():
            assert (ROOT / name).exists(), name
            assert f"!{name}" in allowed


@pytest.fixture
def answering() -> Iterator[tuple[str, list[int]]]:
    """A server that answers /healthz with a status of the test's choice."""
    status = [200]

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status[0])
            self.end_headers()
            self.wfile.write(b'{"status": "failing", "wrong": ["the database is gone"]}')

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"0.0.0.0:{server.server_port}", status
    server.shutdown()
    server.server_close()


def test_the_health_check_passes_on_what_healthz_says(answering):
    listen, status = answering

    def check(where: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(DEPLOY / "healthcheck.py")],
            env={"HTTP_LISTEN": where},
            capture_output=True,
            text=True,
        )

    assert check(listen).returncode == 0
    status[0] = 503
    done = check(listen)
    assert (done.returncode, done.stdout) == (1, "the database is gone\n")
    done = check("127.0.0.1:9")
    assert done.returncode == 1
    assert "can't be reached" in done.stdout
