"""Judges what an agent left in a Harbor trial, with Faultline's own judge; runs in the verifier's container and nowhere else.

An export copies this file to ``tests/verify.py``, beside the rooms of Faultline that judging needs. The verifier's container
holds the hidden checks, the agent's never does. Candidate code runs here as a user without rights, who can neither read the
checks nor write the reward. Without a usable verdict there is no reward, which Harbor counts as the verifier's failure.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from faultline.clock import Clock
from faultline.grading import HarnessFault, InvalidSubmission, Judge, classify, freeze, refused
from faultline.kinds import Verdict
from faultline.records import Outcome
from faultline.sandbox.process import Process
from faultline.tasks import TaskVariant, load_task, materialise

FIRST_UID, UIDS = 61_184, 4_096
"""Users that no Debian system hands out; one is drawn each time, since verifiers may share the processes of one host."""
NO_VERDICT = 3
"""Exit code when there is nothing to reward."""


def main(here: Path, workspace: Path, logs: Path, clock: Clock) -> int:
    """Judge ``workspace`` by the task below ``here`` and write the reward into ``logs``; returns the exit code."""
    if os.geteuid() != 0:
        return _say("the verifier must run as root, so that the candidate can run as another user")
    plan = json.loads((here / "variant.json").read_text())
    folder = here / "task"
    folder.chmod(0o700)
    task = load_task(folder / plan["task"])
    variant = materialise(task, plan["seed"])
    if task.digest != plan["digest"] or variant.pin.workspace_digest != plan["workspace_digest"]:
        return _say("the task is not in the form that was exported")
    uid = FIRST_UID + int(clock.token(), 16) % UIDS
    with _closed(logs):
        try:
            outcome = judged(variant, workspace, uid, clock)
        except (HarnessFault, OSError) as fault:
            outcome = None
            _say(f"the verifier could not do its work: {fault}")
        finally:
            _end_all(uid)
        _empty(logs)
        if outcome is not None:
            (logs / "faultline.json").write_bytes(outcome.canonical() + b"\n")
        if outcome is None or outcome.verdict is Verdict.NONE:
            return _say("no usable verdict" if outcome is None else f"no usable verdict: {outcome.note}")
        reward = 1 if outcome.verdict is Verdict.PASSED else 0
        (logs / "reward.json").write_text(json.dumps({"reward": reward}) + "\n")
    codes = " ".join(reason.code for reason in outcome.reasons)
    sys.stdout.write(f"{outcome.verdict.value}: {outcome.mode.value} {codes}".rstrip() + "\n")
    return 0


def judged(variant: TaskVariant, workspace: Path, uid: int, clock: Clock) -> Outcome:
    """Return the outcome of what lies in a workspace, by hidden inputs that nobody could know before."""
    try:
        candidate = freeze(workspace, variant)
    except InvalidSubmission as submission:
        return refused(submission)
    seed = clock.token()
    judge = Judge(variant, Process(uid), clock)
    with judge.sitting(candidate, int(seed[:8], 16)) as sitting:
        findings = sitting.grade(seed)
    checks = tuple(outline.id for outline in variant.task.checks)
    return classify(findings, candidate, required_checks=checks, required_tests=variant.public_tests, limit=False)


@contextlib.contextmanager
def _closed(logs: Path) -> Iterator[None]:
    """Let nobody else into the folder of the reward while candidate code runs."""
    logs.mkdir(parents=True, exist_ok=True)
    mode = logs.stat().st_mode & 0o7777
    logs.chmod(0o700)
    try:
        yield
    finally:
        logs.chmod(mode)


def _empty(folder: Path) -> None:
    """Remove whatever is there but what Harbor itself writes to: the output of this very program."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in ("test-stdout.txt", "test-stderr.txt"):
            path.unlink()


def _end_all(uid: int) -> None:
    """End every process of the candidate's user; what it left behind could write when the folder is open again."""
    for _ in range(100):
        left = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and _belongs(path, uid)]
        if not left:
            return
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def _belongs(path: Path, uid: int) -> bool:
    """Return whether a process is a user's and still runs; one that has ended and waits for its parent writes nothing."""
    try:
        state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        return path.stat().st_uid == uid and state != "Z"
    except OSError:
        return False


def _say(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return NO_VERDICT


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent, Path(sys.argv[1]), Path(sys.argv[2]), Clock()))
