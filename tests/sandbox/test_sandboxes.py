"""What each sandbox promises, tried with real programs; one suite for all that this machine has."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import faultline
from faultline.errors import UnfitHostError
from faultline.kinds import SandboxLevel
from faultline.sandbox import Launch, Limits, Mount, best_sandbox, open_sandbox, sandbox_named
from faultline.sandbox.interface import interpreter

LIMITS = Limits(memory_mib=512, processes=24, file_mib=8)
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def sandbox(request):
    """Each sandbox that the suite is pointed at."""
    return open_sandbox(*sandbox_named(request.param))


@pytest.fixture
def isolated(request):
    """Each of them that keeps the host out of sight."""
    return open_sandbox(*sandbox_named(request.param))


def shell(sandbox, script, *, stdin=b"", seconds=20.0, keep=1 << 20, **more):
    launch = Launch(("/bin/sh", "-c", script), more.pop("mounts", ()), "/tmp", ENVIRONMENT, LIMITS, **more)
    return sandbox.capture(launch, stdin=stdin, seconds=seconds, keep=keep)


def python(sandbox, program, **more):
    launch = Launch((str(interpreter()), "-S", "-c", program), (), "/tmp", ENVIRONMENT, LIMITS, **more)
    return sandbox.capture(launch, stdin=b"", seconds=30)


TRY_NETWORK = """
import socket
reached = []
for address in (("127.0.0.1", {port}), ("1.1.1.1", 53), ("8.8.8.8", 443)):
    try:
        socket.create_connection(address, 1)
        reached.append(address)
    except OSError:
        pass
try:
    socket.socket(socket.AF_UNIX).connect("\\0{name}")
    reached.append("abstract")
except OSError:
    pass
try:
    reached += socket.getaddrinfo("example.com", 80)
except OSError:
    pass
print(reached or "nothing")
"""


HOLD_TOGETHER = """
import os, time
mine, theirs = os.pipe()
for _ in range({count}):
    if not os.fork():
        kept = bytearray(350 * 2**20)
        os.write(theirs, b"x")
        time.sleep({seconds})
        os._exit(0)
os.close(theirs)
told = len(b"".join(iter(lambda: os.read(mine, 1), b"")))
# One that was ended after it had told makes room for the next, so that all can tell and never hold it together.
whole = all([os.wait()[1] == 0 for _ in range({count})])
print("all hold it" if told == {count} and whole else "not all", flush=True)
"""


class TestEverySandbox:
    def test_what_it_promises_and_what_not_is_said(self, sandbox):
        """Each level lists what it promises and what remains, for doctor to print."""
        assert sandbox.promises
        assert sandbox.gaps
        assert sandbox.alone or any("hidden checks" in gap for gap in sandbox.gaps)

    def test_a_program_reads_its_input_and_its_output_is_kept(self, sandbox):
        """Standard input arrives, standard output and error come back, and the exit code is that of the program."""
        ended = shell(sandbox, "cat; echo err >&2; exit 3", stdin=b"hello\n")

        assert (3, False, b"hello\nerr\n") == (ended.returncode, ended.timed_out, ended.output)

    def test_only_named_variables_are_seen(self, sandbox, monkeypatch):
        """Nothing of the harness's own environment is inherited."""
        monkeypatch.setenv("SECRET_TOKEN", "hunter2")

        assert b"hunter2" not in shell(sandbox, "env; cat /proc/self/environ").output

    def test_a_program_that_does_not_end_is_ended(self, sandbox):
        """The time limit ends the program and everything it started."""
        ended = shell(sandbox, "sleep 600 & sleep 600", seconds=0.5)

        assert ended.timed_out

    def test_a_flood_of_output_is_cut(self, sandbox):
        """Of a long output the beginning and the end are kept, and what was dropped is counted."""
        ended = shell(sandbox, "echo first; head -c 20000000 /dev/zero; echo last", keep=1000)

        assert ended.output.startswith(b"first")
        assert ended.output.endswith(b"last\n")
        assert 20_000_011 == ended.dropped + len(ended.output)

    def test_a_process_that_left_its_session_is_ended_too(self, sandbox, tmp_path):
        """A daemon that holds the output open neither delays the end nor survives it."""
        mark = f"daemon-{os.getpid()}-{time.monotonic_ns()}"
        started = time.monotonic()
        shell(sandbox, f"setsid sh -c 'exec -a {mark} sleep 300 || sleep 300' & echo up", seconds=60)

        assert time.monotonic() - started < 60
        assert not [pid for pid in Path("/proc").glob("[0-9]*") if mark.encode() in cmdline(pid)]

    def test_memory_is_limited(self, sandbox):
        """A process that asks for more memory than its limit does not get it."""
        python = f"{sys.base_prefix}/bin/python3"

        ended = sandbox.capture(
            Launch((python, "-S", "-c", "bytearray(2**30)"), (), "/tmp", ENVIRONMENT, LIMITS), stdin=b"", seconds=30
        )

        assert b"MemoryError" in ended.output

    def test_memory_of_all_processes_together_is_limited(self, sandbox):
        """Processes that each keep to their limit do not hold more than twice as much together.

        Where the harness itself looks, it says so; where a control group holds the limit, nobody else sees it.
        """
        ended = python(sandbox, HOLD_TOGETHER.format(count=4, seconds=3))

        assert b"all hold it" not in ended.output
        assert ended.out_of_memory or sandbox.level in (SandboxLevel.CONTAINER, SandboxLevel.EXTERNAL)
        assert not ended.timed_out

    def test_what_keeps_to_the_limit_of_memory_goes_on(self, sandbox):
        """Processes that together hold less than twice the limit of one are left alone."""
        ended = python(sandbox, HOLD_TOGETHER.format(count=2, seconds=0.3))

        assert (b"all hold it\n", False) == (ended.output, ended.out_of_memory)

    def test_the_size_of_a_file_is_limited(self, sandbox):
        """A file cannot grow beyond its limit."""
        ended = shell(sandbox, 'head -c 20000000 /dev/zero > "$PWD/big"; stat -c %s "$PWD/big"')

        assert str(8 * 2**20).encode() in ended.output

    def test_the_scratch_folder_is_gone_afterwards(self, sandbox, monkeypatch, tmp_path):
        """What a program wrote into its scratch folder does not stay on the host."""
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        shell(sandbox, 'echo x > "$PWD/left"')

        assert [] == list(tmp_path.rglob("left"))


def cmdline(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


class TestIsolation:
    def test_there_is_no_network(self, isolated):
        """Only the loopback of its own namespace exists."""
        found = shell(isolated, "cat /proc/net/dev").output

        assert b"lo:" in found
        assert 3 == len(found.splitlines())

    def test_other_processes_are_out_of_sight(self, isolated):
        """Process ids inside belong to the sandbox alone."""
        found = shell(isolated, "ls -d /proc/[0-9]* | wc -l").output

        assert int(found) < 8

    def test_home_folders_and_temporary_files_of_the_host_are_out_of_sight(self, isolated, tmp_path):
        """A file of the host that nobody mounted cannot be read."""
        secret = tmp_path / "secret.txt"
        secret.write_text("hunter2")

        assert b"hunter2" not in shell(isolated, f"cat {secret} {Path.home()}/.bashrc").output

    def test_the_command_line_of_the_harness_is_out_of_sight(self, isolated, tmp_path):
        """No process inside shows where mounted folders lie on the host."""
        mounts = (Mount(tmp_path, "/candidate"),)

        assert str(tmp_path).encode() not in shell(isolated, "cat /proc/*/cmdline /proc/*/environ", mounts=mounts).output

    def test_the_system_is_read_only(self, isolated):
        """Nothing but the scratch folder can be written."""
        found = shell(isolated, "touch /usr/x /x /run/x /etc/x; touch /tmp/y && echo wrote").output

        assert b"wrote" in found
        assert 4 == found.count(b"cannot touch")

    def test_a_read_only_mount_stays_as_it_was(self, isolated, tmp_path):
        """A mounted folder cannot be changed unless it is meant to be."""
        tmp_path.chmod(0o777)
        (tmp_path / "a").write_text("as it was")
        shell(isolated, "echo changed > /candidate/a", mounts=(Mount(tmp_path, "/candidate"),))

        assert "as it was" == (tmp_path / "a").read_text()

    def test_a_writable_mount_can_be_written(self, isolated, tmp_path):
        """An agent's workspace takes what the agent writes."""
        shell(isolated, "echo new > /workspace/a", mounts=(Mount(tmp_path, "/workspace", writable=True),))

        assert "new\n" == (tmp_path / "a").read_text()

    def test_the_number_of_processes_is_limited(self, isolated):
        """A fork bomb runs into the limit and is ended with the rest."""
        ended = shell(isolated, "f() { f | f & }; f; sleep 1; echo survived")

        assert b"fork" in ended.output.lower()

    def test_no_privilege_is_left(self, isolated):
        """The program has no capability and can get none."""
        found = shell(isolated, "grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; id -u").output.split()

        assert b"0000000000000000" == found[1] == found[3]
        assert b"1" == found[5]
        assert b"0" != found[6]

    def test_nothing_of_the_host_is_connected_to(self, isolated):
        """Neither a server on the host's loopback, nor a socket without a file, nor a name, nor an address outside answers."""
        name = f"faultline-{os.getpid()}-{time.monotonic_ns()}"
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind("\0" + name)
            abstract.listen()
            program = TRY_NETWORK.format(port=server.getsockname()[1], name=name)
            ended = python(isolated, program)

        assert b"nothing\n" == ended.output

    def test_the_inside_of_faultline_is_out_of_sight(self, isolated):
        """Neither the package nor its tests can be found or imported."""
        found = shell(
            isolated, f"ls {Path(faultline.__file__).parent} {Path(__file__).parent}; find / -name judge.py 2>/dev/null"
        )

        assert b"judge.py" not in found.output
        assert b"ModuleNotFoundError" in python(isolated, "import faultline").output

    def test_no_process_can_be_looked_into(self, isolated):
        """No process inside but the program's own shows memory, environment or open files that it was not given."""
        found = shell(isolated, "cat /proc/[0-9]*/environ /proc/1/cmdline 2>/dev/null").output

        assert b"FAULTLINE" not in found
        assert str(Path.home()).encode() + b"/." not in found.replace(str(Path(sys.base_prefix)).encode(), b"")

    def test_the_kernel_cannot_be_reached_through_its_files(self, isolated):
        """Settings of the kernel, its memory and devices of the host cannot be opened."""
        found = shell(
            isolated,
            "for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /dev/mem /dev/sda /dev/vda; do (echo x > $f) 2>&1; done; ls /dev",
        )

        assert 5 == found.output.count(b"annot create")
        assert not {b"mem", b"kmem", b"sda", b"vda", b"kvm", b"fuse"} & set(found.output.split())

    def test_a_mount_or_a_namespace_cannot_be_made(self, isolated):
        """The program cannot become root of a world of its own, nor mount anything."""
        program = "import ctypes; l = ctypes.CDLL(None); print(l.unshare(0x00020000), l.mount(b'x', b'/tmp', b'tmpfs', 0, None), l.setuid(0))"

        assert b"-1 -1 -1\n" == python(isolated, program).output

    def test_the_end_takes_everything_along(self, isolated):
        """When the program ends by itself, whatever it started ends too, also in other sessions and without its environment."""
        mark = f"daemon-{os.getpid()}-{time.monotonic_ns()}"
        python(
            isolated,
            f"import os; os.fork() or os.setsid() and 0 or os.fork() or os.execve('/bin/sleep', ['{mark}', '300'], {{}})",
        )

        assert [] == [pid for pid in Path("/proc").glob("[0-9]*") if mark.encode() in cmdline(pid)]

    def test_the_scratch_space_is_limited(self, isolated):
        """All files in the scratch space together cannot grow beyond their limit."""
        ended = shell(isolated, "for n in 1 2 3; do head -c 6000000 /dev/zero > /tmp/f$n; done; du -sk /tmp")

        assert int(ended.output.split()[-2]) <= 8 * 1024

    def test_several_at_once_have_nothing_in_common(self, isolated):
        """Two sandboxes do not see each other's scratch files."""
        launch = Launch(("/bin/sh", "-c", "echo mine > /tmp/a; sleep 5"), (), "/tmp", ENVIRONMENT, LIMITS)
        with isolated.running(launch, stdin=subprocess.DEVNULL, output=subprocess.DEVNULL):
            assert b"mine" not in shell(isolated, "cat /tmp/a").output


class TestChoice:
    def test_a_level_that_does_not_exist_here_is_refused(self, monkeypatch):
        """A weaker sandbox is never put in the place of the one that was asked for."""
        monkeypatch.setattr("faultline.sandbox.IMPLEMENTATIONS", ())
        with pytest.raises(UnfitHostError, match="no such sandbox"):
            open_sandbox(SandboxLevel.CONTAINER)

    def test_without_an_engine_there_is_no_container(self, monkeypatch):
        """Without podman and docker the host is unfit, and the message names both."""
        from faultline.sandbox import container as module

        module._try_engines.cache_clear()
        monkeypatch.setattr("shutil.which", lambda _: None)
        try:
            with pytest.raises(UnfitHostError, match=r"podman: the program is missing; docker: the program is missing"):
                open_sandbox(SandboxLevel.CONTAINER)
        finally:
            module._try_engines.cache_clear()

    def test_an_engine_without_the_image_is_not_used(self, monkeypatch, tmp_path):
        """An engine that does not have the image is no sandbox, and the message says how to build it."""
        from faultline.sandbox import container as module

        (tmp_path / "podman").write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "podman").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        module._try_engines.cache_clear()
        try:
            with pytest.raises(UnfitHostError, match=r"container/build\.sh"):
                open_sandbox(SandboxLevel.CONTAINER)
        finally:
            module._try_engines.cache_clear()

    def test_the_strongest_comes_first(self):
        """On this machine the best sandbox is bubblewrap."""
        assert SandboxLevel.BUBBLEWRAP is best_sandbox().level

    def test_a_missing_program_is_named(self, monkeypatch):
        """Without bwrap the host is unfit, and the message names the package."""
        from faultline.sandbox import bubblewrap as module

        module._unfit.cache_clear()
        monkeypatch.setattr("shutil.which", lambda _: None)
        try:
            with pytest.raises(UnfitHostError, match="Debian package bubblewrap"):
                open_sandbox(SandboxLevel.BUBBLEWRAP)
        finally:
            module._unfit.cache_clear()
