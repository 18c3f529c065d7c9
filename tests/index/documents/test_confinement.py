"""A file that takes the reading process over: hostile code in the real sandbox, which gets nowhere."""

import asyncio
import ctypes
import errno
import json
import os
import platform
import signal
import struct
import subprocess
import sys

import pytest

from index.documents.confinement import _MACHINES, can_forbid, memory_kept, program
from index.documents.cv_file import read_cv
from tests.helpers.paths import ROOT
from tests.helpers.pdfs import pdf

READABLE = pdf(b"", b"BT /F 12 Tf 50 700 Td (Publications of somebody who wrote a paper) Tj ET")
pytestmark = [
    pytest.mark.hostile,
    pytest.mark.skipif(not can_forbid(), reason="this kernel can't forbid system calls"),
]

# The sandbox as it starts for a PDF, except that hostile code takes the reader's place once it is confined.
TAKEN = """
import ctypes, errno, json, os, signal, socket, sys
import index.documents.sandbox as sandbox
libc = ctypes.CDLL(None, use_errno=True)
parent, address, length = map(int, sys.argv[2:5])
place = ctypes.create_string_buffer(length)
class Span(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))
near, far = Span(ctypes.addressof(place), length), Span(address, length)
def call(number, *arguments):
    ctypes.set_errno(0)
    as_is = [hasattr(a, "contents") or isinstance(a, bytes) for a in arguments]
    done = libc.syscall(number, *(a if kept else ctypes.c_long(a) for a, kept in zip(arguments, as_is)))
    return "done" if done >= 0 else ctypes.get_errno()
def tried(act):
    try:
        return "done" if act() is not False else 0
    except OSError as error:
        return error.errno
    except ValueError as error:  # as resource.setrlimit tells of EPERM
        return errno.EPERM if "not allowed" in str(error) else str(error)
def hostile(data, pdfium):
    found = {}
    %s
    raise sandbox.SandboxRefusedError(json.dumps(found))
sandbox.pdf_text = hostile
sandbox.main()
"""

X86 = {
    "ptrace": "101, 0x4206, parent, 0, 0",
    "process_vm_readv": "310, parent, ctypes.pointer(near), 1, ctypes.pointer(far), 1, 0",
    "process_vm_writev": "311, parent, ctypes.pointer(near), 1, ctypes.pointer(far), 1, 0",
    "kill": "62, parent, 10", "kill 0": "62, parent, 0", "tgkill": "234, parent, parent, 10",
    "tkill": "200, parent, 10", "kill all": "62, -1, 0", "rt_sigqueueinfo": "129, parent, 10, 0",
    "pidfd_open": "434, parent, 0", "pidfd_send_signal": "424, 0, 10, 0, 0", "pidfd_getfd": "438, 0, 0, 0",
    "fork": "57", "vfork": "58", "clone": "56, 17, 0, 0, 0, 0", "clone3": "435, 0, 88",
    "execve": "59, b'/bin/true', 0, 0", "execveat": "322, 0, b'/bin/true', 0, 0, 0",
    "open": "2, b'/etc/passwd', 0", "openat": "257, -100, b'/etc/passwd', 0",
    "openat2": "437, -100, b'/etc/passwd', 0, 24", "creat": "85, b'/tmp/x', 0", "unlink": "87, b'/tmp/x'",
    "rename": "82, b'/tmp/x', b'/tmp/y'", "stat": "4, b'/etc/passwd', 0", "chmod": "90, b'/tmp', 511",
    "memfd_create": "319, b'x', 0", "socket": "41, 2, 1, 0", "unix socket": "41, 1, 1, 0",
    "socketpair": "53, 1, 1, 0, 0", "netlink": "41, 16, 3, 0", "connect": "42, 0, 0, 0",
    "sendmsg": "46, 1, 0, 0", "io_uring_setup": "425, 1, 0", "bpf": "321, 0, 0, 0",
    "perf_event_open": "298, 0, 0, -1, -1, 0", "userfaultfd": "323, 0",
    "add_key": "248, b'user', b'x', b'y', 1, -3", "keyctl": "250, 0, -3, 1", "mount": "165, 0, 0, 0, 0, 0",
    "unshare": "272, 268435456", "setns": "308, 0, 0", "shmget": "29, 0, 4096, 1023",
    "mq_open": "240, b'x', 0, 0, 0", "msgget": "68, 0, 1023", "inotify_init": "253",
    "prctl": "157, 4, 1, 0, 0, 0", "prlimit64": "302, parent, 7, 0, 0", "setrlimit": "160, 7, 0",
    "setpriority": "141, 0, parent, 19", "sched_setaffinity": "203, parent, 8, 0",
    "kcmp": "312, parent, parent, 0, 0, 0", "process_madvise": "440, 0, 0, 0, 0, 0",
    "move_pages": "279, parent, 0, 0, 0, 0, 0", "seccomp": "317, 1, 0, 0", "setuid": "105, 0",
    "chroot": "161, b'/'", "reboot": "169, 0, 0, 0, 0", "ioctl": "16, 0, 21505, 0", "dup": "32, 1",
    "pipe": "22, 0", "eventfd": "284, 0", "executable memory": "9, 0, 4096, 7, 34, -1, 0",
}  # fmt: skip
COMMON = {
    "memory of the parent": "os.open(f'/proc/{parent}/mem', os.O_RDWR)",
    "its environment": "open(f'/proc/{parent}/environ').read()",
    "a signal": "os.kill(parent, signal.SIGUSR1)", "a child": "os.fork()",
    "a program": "os.execv('/bin/true', ['true'])",
    "a shell": "os.posix_spawn('/bin/sh', ['sh', '-c', 'exit'], {})", "a connection": "socket.socket()",
    "a file": "open('/etc/passwd').read()", "a new file": "open('/tmp/written', 'w')",
    "a folder": "os.listdir('/')", "a priority": "os.setpriority(os.PRIO_PROCESS, parent, 19)",
}  # fmt: skip


def takeover(lines, *, code=TAKEN):
    """What hostile lines found out; the secret that they are after is in this process."""
    secret = ctypes.create_string_buffer(b"the token of this Labmate")
    body = "\n    ".join(lines)
    where = [str(os.getpid()), str(ctypes.addressof(secret)), str(len(secret))]
    done = subprocess.run(
        [sys.executable, "-c", code % body, "pdf", *where],
        input=READABLE,
        capture_output=True,
        cwd=ROOT,
        timeout=300,  # a fork that got through would leave somebody at the other end
    )
    assert secret.value == b"the token of this Labmate"
    return done


@pytest.fixture
def signalled():
    """Signals that this process got meanwhile."""
    got = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: got.append(number))
    yield got
    signal.signal(signal.SIGUSR1, before)


def answer(done):
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return json.loads(json.loads(done.stdout)["refused"])


def test_whatever_a_file_makes_the_process_try_is_refused(signalled):
    found = answer(takeover([f"found[{name!r}] = tried(lambda: {act})" for name, act in COMMON.items()]))
    assert found == dict.fromkeys(COMMON, errno.EPERM)
    assert not signalled


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are x86_64's")
def test_every_system_call_that_reaches_outward_is_refused(signalled):
    """By number, as code without Python around it would; the parent's memory, signals, files, processes."""
    lines = [f"found[{name!r}] = call({arguments})" for name, arguments in X86.items()]
    found = answer(takeover([*lines, "found['read'] = place.raw.decode('latin-1')"]))
    assert "token" not in found.pop("read")
    assert found == dict.fromkeys(X86, errno.EPERM)
    assert not signalled


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is x86_64's")
def test_calls_by_another_numbering_end_the_process():
    done = takeover(["call(0x40000000 | 101, 16, parent, 0, 0)"])
    assert done.returncode == -signal.SIGSYS


def test_threads_that_libraries_started_are_confined_too():
    """A thread that began before, and acts after."""
    started = TAKEN.replace(
        "def hostile",
        "import threading\nready, said = threading.Event(), {}\n"
        "def late():\n    ready.wait()\n    said['file'] = tried(lambda: open('/etc/passwd'))\n"
        "thread = threading.Thread(target=late)\nthread.start()\ndef hostile",
    )
    lines = ["ready.set()", "thread.join()", "found.update(said)"]
    assert answer(takeover(lines, code=started)) == {"file": errno.EPERM}


async def test_an_ordinary_file_still_reads():
    assert (await read_cv(READABLE, "cv.pdf")) is not None


async def test_the_parent_s_memory_is_kept_while_a_file_is_read(monkeypatch):
    """Without a kernel that forbids calls, a process of the same user can't open it until it is done."""
    libc = ctypes.CDLL(None)

    def dumpable():
        return libc.prctl(3, 0, 0, 0, 0)

    before = dumpable()
    with memory_kept():
        assert dumpable() == 0
        with memory_kept():
            pass
        assert dumpable() == 0, "another file is still being read"
    assert dumpable() == before == 1
    seen = []
    start = asyncio.create_subprocess_exec

    async def watched(*arguments, **more):
        seen.append(dumpable())
        return await start(*arguments, **more)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    await read_cv(READABLE, "cv.pdf")
    assert seen == [0]
    assert dumpable() == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become two users")
def test_without_seccomp_a_user_s_process_still_can_not_read_the_parent():
    """The second lock alone: a parent and a child of one ordinary user, nothing forbidden to the child."""
    code = """
import ctypes, os
from index.documents.confinement import memory_kept
os.setgid(65534), os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
def child_reads():
    child = os.fork()
    if not child:
        try:
            os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)
        except PermissionError:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
before = child_reads()
with memory_kept():
    meanwhile = child_reads()
print(before, meanwhile)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, text=True)
    assert done.stdout.split() == ["0", "1"], done.stderr


@pytest.mark.parametrize("machine", _MACHINES)
def test_the_filter_of_each_processor_is_whole(machine):
    """Each jump ends within the program, everything ends in an answer, and no two calls share a number."""
    lines = [
        struct.unpack("<HBBI", program(machine)[at : at + 8]) for at in range(0, len(program(machine)), 8)
    ]
    assert len(lines) < 4_096
    for at, (code, if_so, if_not, _) in enumerate(lines):
        assert code == 0x06 or at + 1 + max(if_so, if_not) < len(lines)
    assert lines[-1][0] == 0x06
    here = _MACHINES[machine]
    numbers = [*here.calls.values(), *here.mapping]
    assert len(set(numbers)) == len(numbers)
    assert here.calls.keys() == _MACHINES["x86_64"].calls.keys()
