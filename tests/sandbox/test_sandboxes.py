"""What each sandbox promises, tried with real programs; one suite for all that this machine has."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faultline.errors import UnfitHostError
from faultline.kinds import SandboxLevel
from faultline.sandbox import IMPLEMENTATIONS, Launch, Limits, Mount, best_sandbox, open_sandbox

LIMITS = Limits(memory_mib=512, processes=24, file_mib=8)
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.fixture(params=[kind.level for kind in IMPLEMENTATIONS], ids=str)
def sandbox(request):
    return open_sandbox(request.param)


@pytest.fixture
def bubblewrap():
    return open_sandbox(SandboxLevel.BUBBLEWRAP)


def shell(sandbox, script, *, stdin=b"", seconds=20.0, keep=1 << 20, **more):
    launch = Launch(("/bin/sh", "-c", script), more.pop("mounts", ()), "/tmp", ENVIRONMENT, LIMITS, **more)
    return sandbox.capture(launch, stdin=stdin, seconds=seconds, keep=keep)


class TestEverySandbox:
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


class TestBubblewrap:
    def test_there_is_no_network(self, bubblewrap):
        """Only the loopback of its own namespace exists."""
        found = shell(bubblewrap, "cat /proc/net/dev").output

        assert b"lo:" in found
        assert 3 == len(found.splitlines())

    def test_other_processes_are_out_of_sight(self, bubblewrap):
        """Process ids inside belong to the sandbox alone."""
        found = shell(bubblewrap, "ls -d /proc/[0-9]* | wc -l").output

        assert int(found) < 8

    def test_home_folders_and_temporary_files_of_the_host_are_out_of_sight(self, bubblewrap, tmp_path):
        """A file of the host that nobody mounted cannot be read."""
        secret = tmp_path / "secret.txt"
        secret.write_text("hunter2")

        assert b"hunter2" not in shell(bubblewrap, f"cat {secret} {Path.home()}/.bashrc").output

    def test_the_command_line_of_the_harness_is_out_of_sight(self, bubblewrap, tmp_path):
        """No process inside shows where mounted folders lie on the host."""
        mounts = (Mount(tmp_path, "/candidate"),)

        assert str(tmp_path).encode() not in shell(bubblewrap, "cat /proc/*/cmdline /proc/*/environ", mounts=mounts).output

    def test_the_system_is_read_only(self, bubblewrap):
        """Nothing but the scratch folder can be written."""
        found = shell(bubblewrap, "touch /usr/x /x /run/x /etc/x; touch /tmp/y && echo wrote").output

        assert b"wrote" in found
        assert 4 == found.count(b"cannot touch")

    def test_a_read_only_mount_stays_as_it_was(self, bubblewrap, tmp_path):
        """A mounted folder cannot be changed unless it is meant to be."""
        tmp_path.chmod(0o777)
        (tmp_path / "a").write_text("as it was")
        shell(bubblewrap, "echo changed > /candidate/a", mounts=(Mount(tmp_path, "/candidate"),))

        assert "as it was" == (tmp_path / "a").read_text()

    def test_a_writable_mount_can_be_written(self, bubblewrap, tmp_path):
        """An agent's workspace takes what the agent writes."""
        shell(bubblewrap, "echo new > /workspace/a", mounts=(Mount(tmp_path, "/workspace", writable=True),))

        assert "new\n" == (tmp_path / "a").read_text()

    def test_the_number_of_processes_is_limited(self, bubblewrap):
        """A fork bomb runs into the limit and is ended with the rest."""
        ended = shell(bubblewrap, "f() { f | f & }; f; sleep 1; echo survived")

        assert b"fork" in ended.output.lower()

    def test_no_privilege_is_left(self, bubblewrap):
        """The program has no capability and can get none."""
        found = shell(bubblewrap, "grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; id -u").output.split()

        assert b"0000000000000000" == found[1] == found[3]
        assert b"1" == found[5]
        assert b"0" != found[6]

    def test_several_at_once_have_nothing_in_common(self, bubblewrap):
        """Two sandboxes do not see each other's scratch files."""
        launch = Launch(("/bin/sh", "-c", "echo mine > /tmp/a; sleep 5"), (), "/tmp", ENVIRONMENT, LIMITS)
        with bubblewrap.running(launch, stdin=subprocess.DEVNULL, output=subprocess.DEVNULL):
            assert b"mine" not in shell(bubblewrap, "cat /tmp/a").output


class TestChoice:
    def test_a_level_that_does_not_exist_here_is_refused(self):
        """A weaker sandbox is never put in the place of the one that was asked for."""
        with pytest.raises(UnfitHostError, match="no such sandbox"):
            open_sandbox(SandboxLevel.CONTAINER)

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
