"""Locking down the process that reads a stranger's file: fewer system calls (seccomp), private memory.

Uses the kernel's own interface (seccomp(2), prctl(2), linux/filter.h), since the existing bindings need
libseccomp on the system.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

PR_SET_DUMPABLE, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 21, 22, 38
_FILTER, _ALL_THREADS = 1, 1  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
_MODE_FILTER = 2
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | errno.EPERM, 0x7FFF0000
_LOAD, _EQUALS, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # linux/bpf_common.h
_NUMBER_AT, _MACHINE_AT, _THIRD_ARGUMENT_AT = 0, 4, 32  # struct seccomp_data, little-endian
_EXECUTABLE = 4  # PROT_EXEC
_X32 = 0x40000000


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of system calls on one kind of processor.

    Attributes
    ----------
    audit
        The kernel's name for the processor (linux/audit.h).
    calls
        The calls needed to read a file that is already in memory: memory, time, exiting, writing the answer.
    mapping
        mmap and mprotect, which may not make memory executable.
    """

    audit: int
    seccomp: int
    mapping: tuple[int, ...]
    calls: dict[str, int] = field(default_factory=dict)


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        317,
        (9, 10),
        {
            "read": 0, "write": 1, "close": 3, "fstat": 5, "lseek": 8, "munmap": 11, "brk": 12,
            "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "writev": 20, "sched_yield": 24,
            "mremap": 25, "madvise": 28, "nanosleep": 35, "getpid": 39, "exit": 60, "gettimeofday": 96,
            "getrusage": 98, "sigaltstack": 131, "gettid": 186, "futex": 202, "restart_syscall": 219,
            "clock_gettime": 228, "clock_nanosleep": 230, "exit_group": 231, "getrandom": 318, "rseq": 334,
        },
    ),
    "aarch64": _Machine(
        0xC00000B7,
        277,
        (222, 226),
        {
            "read": 63, "write": 64, "close": 57, "fstat": 80, "lseek": 62, "munmap": 215, "brk": 214,
            "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "writev": 66, "sched_yield": 124,
            "mremap": 216, "madvise": 233, "nanosleep": 101, "getpid": 172, "exit": 93, "gettimeofday": 169,
            "getrusage": 165, "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128,
            "clock_gettime": 113, "clock_nanosleep": 115, "exit_group": 94, "getrandom": 278, "rseq": 293,
        },
    ),
}  # fmt: skip


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _machine() -> _Machine | None:
    return _MACHINES.get(platform.machine()) if sys.platform == "linux" and sys.maxsize > 2**32 else None


def can_forbid() -> bool:
    """Whether this kernel can block system calls, and the numbers for this processor are known."""
    if _machine() is None:
        return False
    return int(ctypes.CDLL(None).prctl(PR_GET_SECCOMP, 0, 0, 0, 0)) >= 0


def program(machine: str) -> bytes:
    """The filter: listed calls go through, all others fail with EPERM.

    Calls in another numbering (32-bit, x32) end the process.
    """
    here = _MACHINES[machine]
    lines = [_line(_LOAD, _MACHINE_AT), _line(_EQUALS, here.audit, 1, 0), _line(_RETURN, _KILL)]
    lines += [_line(_LOAD, _NUMBER_AT), _line(_AT_LEAST, _X32, 0, 1), _line(_RETURN, _KILL)]
    for number in here.calls.values():
        lines += [_line(_EQUALS, number, 0, 1), _line(_RETURN, _ALLOW)]
    for number in here.mapping:
        lines += [_line(_EQUALS, number, 0, 4), _line(_LOAD, _THIRD_ARGUMENT_AT)]
        lines += [_line(_HAS_BIT, _EXECUTABLE, 1, 0), _line(_RETURN, _ALLOW), _line(_RETURN, _REFUSE)]
    return b"".join([*lines, _line(_RETURN, _REFUSE)])


def _line(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    """struct sock_filter: an instruction, and how many lines to skip after a comparison."""
    return struct.pack("<HBBI", code, if_so, if_not, value)


def forbid() -> bool:
    """Block, for all threads and for good, every system call that reading does not need.

    Returns whether that worked: False on another system or processor, or an older kernel.
    """
    machine = _machine()
    if machine is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    filter_ = program(platform.machine())
    given = _Program(len(filter_) // 8, filter_)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    if libc.syscall(machine.seccomp, _FILTER, _ALL_THREADS, ctypes.byref(given)) == 0:
        return True
    # A kernel before 3.17 has only the older call, which covers this thread alone.
    return bool(libc.prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(given), 0, 0) == 0)


_hidden = 0


@contextlib.contextmanager
def memory_kept() -> Iterator[None]:
    """Keep other processes of the same user from reading this one's memory (``PR_SET_DUMPABLE``).

    A second line of defence: where :func:`forbid` is not available, a file that takes over the reading
    process still can't read this one, unless both run as root.
    """
    global _hidden
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    _hidden += 1
    if libc is not None:
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        yield
    finally:
        _hidden -= 1
        if libc is not None and not _hidden:
            libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
