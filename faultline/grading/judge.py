"""The judge: runs public tests and hidden checks against a frozen candidate, which it never imports.

Check code is the benchmark's own and runs here; candidate code runs only in a child in the sandbox and answers with plain
values. What the child does to itself is the candidate's failure; only what the judge itself observed is infrastructure.
"""

import hashlib
import tempfile
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from faultline.checks import CANDIDATE_ERRORS, CandidateError, Check, Failed, collect
from faultline.clock import Clock
from faultline.grading.authority import Ended, touched_tests
from faultline.grading.freeze import Candidate, plain_candidate, reference_candidate
from faultline.grading.handle import CandidateHandle, Child, ChildSpec
from faultline.grading.surface import as_reasons, gone, required_surface
from faultline.kinds import safe_text
from faultline.records import CheckResult, PublicChange, PublicResult, Reason
from faultline.sandbox import Limits, Sandbox
from faultline.tasks import TaskVariant, Tree, write_tree


@dataclass(frozen=True)
class Findings:
    """What the judge found: how each check and each public test ended."""

    checks: tuple[CheckResult, ...]
    """In the order of the task."""
    public: PublicResult
    lost: tuple[Reason, ...] = ()
    """Public modules and names of the workspace that are gone; only looked for when something did not pass."""
    tests: tuple[PublicChange, ...] = ()
    """What the agent did to the public tests."""


class Judge:
    """Judges candidates of one task variant in one sandbox; keeps a child warm for one candidate at a time."""

    def __init__(self, variant: TaskVariant, sandbox: Sandbox, clock: Clock, scratch: Path | None = None) -> None:
        """Load the hidden checks, which are the benchmark's own code; ``scratch`` is where grading copies are made."""
        self._variant, self._sandbox, self._clock, self._scratch = variant, sandbox, clock, scratch
        self._checks = load_checks(variant)
        self._never_there: frozenset[str] | None = None
        """What the workspace offers by syntax and not to a child, such as a module for another system."""

    @contextmanager
    def sitting(self, candidate: Candidate, hash_seed: int) -> Iterator["Sitting"]:
        """Lay out a candidate in a fresh folder and keep a child for it; everything is gone afterwards."""
        limits = self._variant.task.definition.limits
        # World-readable, for the sandbox's own user; it holds nothing but what the agent itself left.
        with tempfile.TemporaryDirectory(prefix="work-", dir=self._scratch) as scratch:
            folder = Path(scratch, "tree")
            folder.mkdir()
            write_tree(candidate.tree, folder)
            for path in (Path(scratch), *(item for item in folder.rglob("*") if item.is_dir()), folder):
                path.chmod(0o755)
            spec = ChildSpec(
                candidate=folder,
                runtime=self._variant.task.definition.runtime,
                limits=Limits(limits.memory_mib, limits.processes, limits.file_mib),
                hash_seed=hash_seed,
            )
            child = Child(self._sandbox, spec, self._clock)
            try:
                yield Sitting(
                    self._variant,
                    self._checks,
                    child,
                    lambda check, rng: self._reads(check, rng, hash_seed),
                    # Neither depends on hidden inputs, so a control's repetitions need them once.
                    cache(lambda: self._lost(candidate, child, hash_seed)),
                    cache(lambda: self._touched(candidate, hash_seed)),
                )
            finally:
                child.close()

    def _lost(self, candidate: Candidate, child: Child, hash_seed: int) -> tuple[Reason, ...]:
        """Return what is gone of the workspace's public surface; the pristine tree is asked only when something is."""
        if candidate.unchanged:
            return ()
        surface, seconds = required_surface(self._variant), self._variant.task.definition.limits.check_seconds
        lost = gone(surface, child.session, seconds)
        if lost and self._never_there is None:
            with self.sitting(plain_candidate(self._variant, self._variant.workspace), hash_seed) as pristine:
                self._never_there = frozenset(gone(surface, pristine.child.session, seconds))
        return as_reasons({place: said for place, said in lost.items() if place not in (self._never_there or ())})

    def _touched(self, candidate: Candidate, hash_seed: int) -> tuple[PublicChange, ...]:
        def run(tree: Tree, files: tuple[str, ...]) -> Ended:
            with self.sitting(plain_candidate(self._variant, tree), hash_seed) as sitting:
                seconds = min(self._variant.task.definition.limits.check_seconds, 5.0)  # up to six times for one trial
                return run_files(sitting.child, files, seconds)[0]

        return touched_tests(self._variant, candidate, reference_candidate(self._variant).tree, run)

    def _reads(self, check: Check, rng: Random, hash_seed: int) -> bool:
        """Return whether a check can read a right answer: whether it passes on the reference repair with the same inputs."""
        reference = reference_candidate(self._variant)
        with self.sitting(reference, hash_seed) as sitting:
            return sitting.decide(check, rng).result == "passed"


@dataclass(frozen=True)
class Sitting:
    """One candidate before the judge."""

    variant: TaskVariant
    checks: tuple[Check, ...]
    child: Child
    reads: Callable[[Check, Random], bool]
    """Whether a check passes on the reference repair; asked only when a check raised an error of its own."""
    lost: Callable[[], tuple[Reason, ...]] = tuple
    """What is gone of the workspace's public surface."""
    touched: Callable[[], tuple[PublicChange, ...]] = tuple
    """What the agent did to the public tests."""

    def grade(self, seed: str) -> Findings:
        """Run the public tests and every hidden check, in an order and with inputs drawn from the seed.

        Raises :class:`~faultline.grading.handle.HarnessFault` for what the harness itself observed.
        """
        public = self._public()
        order = list(self.checks)
        rng_for(seed, "order").shuffle(order)
        results = {check.id: self._run(check, seed) for check in order}
        failed = public.failed or public.missing or any(result.result == "failed" for result in results.values())
        return Findings(
            tuple(results[check.id] for check in self.checks), public, self.lost() if failed else (), self.touched()
        )

    def _run(self, check: Check, seed: str) -> CheckResult:
        result = self.decide(check, rng_for(seed, check.id))
        if result.reason is None or result.reason.code != "CHECK_ERROR" or not self.reads(check, rng_for(seed, check.id)):
            return result
        # The check reads a right answer to the same inputs, so this answer was none: the candidate's failure. Otherwise a
        # candidate could leave the denominator by answering something that a check does not expect.
        detail = f"the check could not read the answer: {result.reason.detail}"
        return CheckResult(check=check.id, result="failed", reason=Reason(code="BAD_ANSWER", detail=safe_text(detail, 300)))

    def decide(self, check: Check, rng: Random) -> CheckResult:
        """Run one check and say how it ended; an exception of its own is an error."""
        handle = CandidateHandle(self.child, self.variant.task.definition.limits.check_seconds)
        try:
            check.function(handle, rng, dict(self.variant.parameters))
        except Failed as failure:
            if failure.code not in (*check.codes, "BAD_ANSWER"):
                return _error(check, f"the check gave the code {failure.code}, which it does not declare", "UNDECLARED_CODE")
            return CheckResult(
                check=check.id, result="failed", reason=Reason(code=failure.code, measured=_measured(failure.measured))
            )
        except CandidateError as error:
            detail = ": ".join(part for part in (error.type, error.message) if part)
            return CheckResult(check=check.id, result="failed", reason=Reason(code=error.kind, detail=safe_text(detail, 300)))
        except Exception as error:  # whatever else a check raises is the check's own fault, and must not end the run
            if type(error).__name__ == "HarnessFault":
                raise
            return _error(check, f"{type(error).__name__}: {error}")
        return CheckResult(check=check.id, result="passed")

    def _public(self) -> PublicResult:
        expected = self.variant.public_tests
        may_fail = set(self.variant.public_failing)
        files = tuple(dict.fromkeys(test.split("::")[0] for test in expected))
        ended, trouble = run_files(self.child, files, self.variant.task.definition.limits.check_seconds)
        passed = [test for test in expected if ended.get(test, ("", ""))[0] == "passed"]
        failed = [test for test in expected if test in ended and test not in passed]
        first = next((f"{test}: {' '.join(ended[test])}" for test in failed), trouble)
        return PublicResult(
            passed=len(passed),
            failed=tuple(failed),
            missing=tuple(test for test in expected if test not in ended),
            regressed=tuple(test for test in expected if test not in passed and test not in may_fail),
            detail=safe_text(first, 300),
        )


def run_files(child: Child, files: tuple[str, ...], seconds: float) -> tuple[dict[str, tuple[str, str]], str]:
    """Run files of public tests and return how each test ended, and the first trouble.

    All of them share a process, as they do for a person; when it ends early, each file gets a process of its own, so that
    the others are still told.
    """
    try:
        with child.session(seconds) as session:
            ended = session.run_tests(files)
    except CandidateError as error:
        if len(files) == 1:
            return {}, f"{files[0]}: {error.kind} {error.type} {error.message}"
        alone = [run_files(child, (path,), seconds) for path in files]
        return {name: how for found, _ in alone for name, how in found.items()}, next((said for _, said in alone if said), "")
    return ended, next((f"{path}: {' '.join(ended[path + '::'])}" for path in files if path + "::" in ended), "")


def _error(check: Check, what: str, code: str = "CHECK_ERROR") -> CheckResult:
    return CheckResult(check=check.id, result="error", reason=Reason(code=code, detail=safe_text(what, 300)))


def _measured(values: Mapping[str, Any]) -> dict[str, int | float | str]:
    """Return measured values as a record can hold them: finite numbers and short text."""
    kept: dict[str, int | float | str] = {}
    for name, value in values.items():
        plain = value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
        if isinstance(plain, float) and plain - plain != 0:  # infinite or not a number
            plain = repr(plain)
        kept[name] = safe_text(plain, 160) if isinstance(plain, str) else plain
    return kept


def rng_for(seed: str, purpose: str) -> Random:
    """Return a generator for one purpose of one trial; nothing about it can be known before the plan was frozen."""
    return Random(int.from_bytes(hashlib.sha256(f"{seed}/{purpose}".encode()).digest()))  # noqa: S311  (reproducible)


def load_checks(variant: TaskVariant) -> tuple[Check, ...]:
    """Return the hidden checks of a variant, ready to run in the judge."""
    module = types.ModuleType("checks")
    place = str(variant.task.path / "hidden" / "checks.py")
    exec(compile(variant.hidden_source, place, "exec"), module.__dict__)  # noqa: S102  (the benchmark's own code)
    checks = collect(module.__dict__)
    if len(checks) != len(variant.task.checks):
        return checks  # the plan's list of checks will not be met, and the outcome says so
    # A skin renames functions too; records name a check by its id in the first skin, whatever the variant.
    return tuple(replace(check, id=outline.id) for check, outline in zip(checks, variant.task.checks, strict=True))


CODE_MEANINGS = CANDIDATE_ERRORS | {
    "CHECK_ERROR": "The hidden check itself went wrong; no verdict.",
    "UNDECLARED_CODE": "The hidden check gave a reason code that it does not declare; no verdict.",
    "CANARY_FOUND": "A canary of hidden material stands in the trajectory or the candidate.",
    "PUBLIC_TEST_FAILED": "Every hidden check passed and a public test did not.",
}
"""Reason codes that do not belong to a task, and what each says."""
