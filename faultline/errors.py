"""Errors: one class for each thing that a reader can do something about.

Every error knows the place, what was wrong, what was expected, what was found and the next step, and carries a slug that
has an entry on the site's page of errors. Only ``cli`` prints them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from faultline.kinds import safe_text


@dataclass
class FaultlineError(Exception):
    """Something that a reader can do something about."""

    place: str
    """File, and line or field where there is one."""
    problem: str
    """What is wrong, as a clause."""
    expected: str = ""
    """What would have been right."""
    found: str = ""
    """What was there instead; quoted and cut, since it may come from an agent."""
    next_step: str = ""
    """What to do now."""

    slug = "error"
    exit_code = 1

    def __str__(self) -> str:
        """Return the error on one line."""
        line = f"{self.place}: {self.problem}"
        if self.expected:
            line += f"; expected {self.expected}"
        if self.found:
            line += f"; found {self.found}"
        if self.next_step:
            line += f"; next: {self.next_step}"
        return safe_text(line, 600).replace("\n", "\\n") + f"  [{self.slug}]"

    def diagnostics(self) -> tuple[str, ...]:
        """Return one line for each fault."""
        return (str(self),)


class BadInputError(FaultlineError):
    """A file or an argument is malformed: mend it."""

    slug = "bad-input"
    exit_code = 2


class MissingInputError(BadInputError):
    """A file or folder that must be there is not: name it rightly or make it."""

    slug = "missing-input"


class RefusedError(BadInputError):
    """What was asked for contradicts a rule of the benchmark: ask for something else."""

    slug = "refused"


class ConflictError(FaultlineError):
    """Two different results claim one cell: both are kept; decide which run to trust."""

    slug = "conflict"
    exit_code = 4


class IntegrityError(FaultlineError):
    """Records do not match their digests: the evidence was changed or damaged."""

    slug = "integrity"
    exit_code = 5


class UnfinishedError(FaultlineError):
    """A run is not complete, so it cannot be sealed: resume it."""

    slug = "unfinished"
    exit_code = 6


class UnfitHostError(FaultlineError):
    """This machine cannot do what was asked: install what is missing or choose another sandbox."""

    slug = "unfit-host"
    exit_code = 7


class LedgerError(FaultlineError):
    """The ledger could not be read or written: look at the disk and the file."""

    slug = "ledger"
    exit_code = 8


class Faults(FaultlineError):  # noqa: N818  (a collection, and the word for it)
    """Several faults at once, sorted by place; the exit code is that of the first."""

    def __init__(self, errors: Sequence[FaultlineError]) -> None:
        """Collect errors, which must not be empty."""
        self.errors = tuple(sorted(errors, key=str))
        first = self.errors[0]
        super().__init__(first.place, first.problem, first.expected, first.found, first.next_step)
        self.slug, self.exit_code = first.slug, first.exit_code

    def __str__(self) -> str:
        """Return one line for each fault."""
        return "\n".join(self.diagnostics())

    def diagnostics(self) -> tuple[str, ...]:
        """Return one line for each fault."""
        return tuple(line for error in self.errors for line in error.diagnostics())


def raise_all(errors: Sequence[FaultlineError]) -> None:
    """Raise what was collected, if anything was."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Faults(errors)
