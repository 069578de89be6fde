"""Names for plain things: identifiers, digests, quantities, and the enums of what can happen.

Pure: no file, clock or randomness. A bare ``str`` or ``float`` elsewhere is a question to ask; here is the answer.
"""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints

TaskId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""A task folder's name: lower case words joined by hyphens; it never names the defect."""
VariantId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""A variant of a task: its skin and its seed, such as ``clinic-0001``."""
RunId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9]*(-[a-z0-9]+)*$", max_length=96)]
"""A run folder's name."""
AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9]*([.-][a-z0-9]+)*$", max_length=64)]
"""A short name for an agent; controls are called ``baseline``, ``reference``, ``wrong-…`` and ``valid-…``."""
CheckId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=80)]
"""A hidden check: the name of its function."""
ReasonCode = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$", max_length=64)]
"""Why a check failed: an upper-case identifier."""
FailureClass = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=48)]
"""The kind of defect that a task carries; not to be mixed up with an outcome."""
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
"""The one form of a content digest: ``sha256:`` and 64 lower-case hexadecimal digits."""
Count = Annotated[int, Field(ge=0, lt=2**53)]
"""A number of things, exact in every JSON reader."""
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A duration from a monotonic clock."""
Usd = Annotated[Decimal, Field(ge=0, max_digits=15, decimal_places=6, allow_inf_nan=False)]
"""An amount in US dollars; a decimal, so that sums are exact."""
ShortText = Annotated[str, StringConstraints(max_length=2_000)]
"""Text shown to people; hostile until escaped."""


def _require_utc(value: datetime) -> datetime:
    if value.tzinfo is None or value.utcoffset() != timedelta(0):
        raise ValueError("an instant must be in UTC and end in Z")
    return value.astimezone(UTC)


Instant = Annotated[datetime, AfterValidator(_require_utc)]
"""A moment in UTC, named after what it times (``sealed_at``)."""


class Word(StrEnum):
    """A word of the vocabulary that carries its meaning, so that the glossary is made from the code."""

    meaning: str
    """What follows from the word, as a sentence."""

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Make a member from its text and its meaning."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class Absence(Word):
    """Why a value is not there. None of these is zero."""

    UNKNOWN = "unknown", "It exists or existed, and nobody recorded it; caps apply to how much may be unknown."
    NOT_RUN = "not-run", "The step that would have produced it did not take place."
    NOT_APPLICABLE = "not-applicable", "The thing cannot have such a value."
    WITHHELD = "withheld", "It exists and is not shown until gates hold."


class Verdict(Word):
    """What the judge decided about one trial."""

    PASSED = "passed", "Every required hidden check and public test is present and passed."
    FAILED = "failed", "A usable verdict against the candidate; counted as failed in every rate."
    NONE = "none", "No usable verdict; the trial stays in the planned total and in the bounds."


class StatusClass(Word):
    """What kind of end a trial had, apart from its verdict."""

    COMPLETED = "completed", "The agent finished and its candidate was judged."
    LIMIT = "limit", "The agent reached a limit of the plan; its last tree was judged."
    AGENT_FAILURE = "agent_failure", "The candidate broke the rules or itself; counted as failed."
    INFRA = "infra", "The harness observed a fault of its own or of its host; not scoreable."
    VERIFIER = "verifier", "The judge or a hidden check went wrong; not scoreable and stops publication until explained."
    TASK_DEFECT = "task_defect", "The task itself was found to be wrong; not scoreable."
    CANCELLED = "cancelled", "A person stopped the trial; not scoreable."
    UNKNOWN = "unknown", "The record does not tell; not scoreable."


class Blame(Word):
    """Whose doing the end of a trial was."""

    AGENT = "agent", "The agent or its candidate."
    HARNESS = "harness", "Faultline, or the harness that a log came from."
    ENVIRONMENT = "environment", "The host, the container, the disk."
    PROVIDER = "provider", "The service that a model ran on."
    VERIFIER = "verifier", "The judge or a hidden check."
    TASK = "task", "A fault of the task itself."
    USER = "user", "The person who ran the benchmark."
    UNKNOWN = "unknown", "The record does not tell."


class Fold(Word):
    """The four words that every rate is built from; their counts always sum to the planned number."""

    PASSED = "passed", "Counted as passed."
    FAILED = "failed", "Counted as failed."
    INVALID_SUBMISSION = "invalid-submission", "The candidate broke the rules or itself; counted as failed."
    INVALID_INFRA = "invalid-infra", "No score can be given; stays in the planned number and in both bounds."


class Mode(Word):
    """What was seen in a trial, by evidence."""

    REPAIRED = "repaired", "Every required hidden check and public test passed."
    DEFECT_REMAINS = "defect-remains", "A hidden check failed with a reason code, and no rule for another mode applies."
    REGRESSION = "regression", "A public test that passes on the baseline fails on the candidate."
    DAMAGED = (
        "damaged",
        "A public module or name that right repairs keep is gone; an import that fails is never called a missing name.",
    )
    NO_CHANGE = "no-change", "The agent left the workspace as it was."
    NO_DRAFT = (
        "no-draft",
        "The agent edited nothing that is judged and wrote elsewhere; its own trace and the leavings of tools do not count.",
    )
    ASKED_A_QUESTION = (
        "asked-a-question",
        "The agent left every editable file as it was, and the last line of its last message ends in a question mark.",
    )
    LIMIT_REACHED = (
        "limit-reached",
        "The agent was ended at its limit and its last tree did not pass, or time was the only thing a check failed for.",
    )
    TAMPERED = (
        "tampered",
        "Not passed, and public tests were weakened, skipped or deleted, or configuration was left that changes what runs.",
    )
    INVALID_SUBMISSION = "invalid-submission", "The tree the agent left holds entries that a submission may not hold."
    EXPOSED = (
        "exposed",
        "A canary of hidden files stands in the agent's trajectory or candidate; counted as failed, and a gate fails.",
    )
    INFRASTRUCTURE = "infrastructure", "The harness itself observed that it could not do its work."
    VERIFIER_ERROR = "verifier-error", "A hidden check raised an error of its own, or ran nothing."
    SCORED = "scored", "Another harness gave a verdict; its log does not tell what else was seen."
    UNKNOWN = "unknown", "The record does not tell."


class PublicTouch(Word):
    """What an agent did to one public test, judged by running it before and after; the test itself was put back."""

    EDITED = "edited", "Its text or that of its file changed, and no tree that was tried tells the two apart as below."
    WEAKENED = "weakened", "It passes on the baseline, the reference or the candidate where the test as it was given does not."
    SKIPPED = "skipped", "It is still there and no longer decides anything: skipped, expected to fail, or never reported."
    DELETED = "deleted", "It is no longer there, or its file cannot be parsed."


class RunKind(Word):
    """What a run is evidence of."""

    VALIDITY = "validity", "Controls with known verdicts; evidence about tasks."
    EVALUATION = "evaluation", "One agent over a plan; evidence about the agent."
    IMPORTED = "imported", "Another harness's log, read."


class AgentKind(Word):
    """Who repairs."""

    REFERENCE = "reference", "Applies the reference repair; a control."
    NO_OP = "no-op", "Changes nothing; a control."
    CONTROL = "control", "Applies a named repair whose verdict is known in advance."
    TRIVIAL = "trivial", "Does something that repairs nothing, such as removing the public tests; a control that must fail."
    COMMAND = "command", "A program that works in a directory."
    PLUGIN = (
        "plugin",
        "A class of an installed package, working inside the harness, which keeps it from nothing. Not fit for publication.",
    )
    IMPORTED = "imported", "Described by another harness's log."

    @property
    def is_control(self) -> bool:
        """Whether the verdict is known in advance, so that results say something about tasks only."""
        return self in (AgentKind.REFERENCE, AgentKind.NO_OP, AgentKind.CONTROL, AgentKind.TRIVIAL)


class SandboxLevel(Word):
    """How much a sandbox keeps apart."""

    BUBBLEWRAP = "bubblewrap", "Own network, process, mount, IPC and host-name namespaces, read-only system, limits."
    CONTAINER = "container", "A container engine's isolation with limits."
    PROCESS = "process", "Limits only: the candidate sees the host's files, network and processes. Not fit for publication."
    EXTERNAL = "external", "A sandbox of an installed package, whose promises nobody proved here. Not fit for publication."

    @property
    def fit(self) -> bool:
        """Whether verdicts from this level may be published."""
        return self in (SandboxLevel.BUBBLEWRAP, SandboxLevel.CONTAINER)


class RetryPolicy(Word):
    """When another attempt at a trial may be made."""

    NEVER = "never", "Every trial has one attempt."
    TRANSPORT_ONLY = "transport-only", "Only after a fault that the harness itself observed; never because of the verdict."
    BEST_OF_K = "best-of-k", "Until a verdict is passed; changes the estimand, and the card says so wherever the number stands."


class Estimand(Word):
    """The quantity that a run's verdicts estimate."""

    PASS_AT_1 = "pass@1", "The chance that one trial passes."
    BEST_OF_K = "best-of-k", "The chance that at least one of k attempts passes."


class AuditQuestion(Word):
    """A statement that an auditor answers with yes or no; a no is a flaw of the task."""

    RELEVANT = "relevant", "The defect could stand in a real project, and its owner would want to know of it."
    UNDERSTANDABLE = "understandable", "Somebody who has only the issue, the code and the README can tell what to do."
    DERIVABLE = "derivable", "Every hidden check requires only what issue, code or README state or imply."
    FAIR = "fair", "The hidden checks would accept every repair that you could defend."
    STRICT = "strict", "The hidden checks would catch every repair you can think of that leaves the defect in place."
    UNHINTED = "unhinted", "Nothing in the workspace names the defect or shows the repair."
    REPRODUCED = "reproduced", "On your own machine faultline validate ended with exit code 0 for this task."


class SignatureState(Word):
    """Whether an audit is signed by its auditor's SSH key; only the first two count."""

    SIGNED = "signed", "The signature fits the audit, and the key is listed for its auditor."
    UNSIGNED = "unsigned", "There is no signature, and no key is listed for the auditor; counts by the name alone."
    BAD = "bad", "The signature does not fit the audit or its auditor's key; the audit does not count."
    UNKNOWN_KEY = "unknown-key", "It is signed, and no key is listed for its auditor; the audit does not count."
    MISSING = "missing", "A key is listed for the auditor, and there is no signature; the audit does not count."
    UNCHECKED = "unchecked", "ssh-keygen is not installed here, so nobody looked; the audit does not count."

    @property
    def counts(self) -> bool:
        """Whether an audit in this state may count."""
        return self in (SignatureState.SIGNED, SignatureState.UNSIGNED)


def digest_bytes(data: bytes) -> str:
    """Return the digest of some bytes in the one form of :data:`Digest`."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def short_digest(digest: str) -> str:
    """Return the first twelve hexadecimal digits of a digest, for people."""
    return digest.removeprefix("sha256:")[:12]


_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def slug(name: str, limit: int = 40) -> str:
    """Return a file name for a name that is data: readable part, then a short digest when anything was lost.

    Unique after lower-casing and cutting, since whatever the readable part lost is in the digest
    (known faults F61 to F63).
    """
    readable = _NOT_SLUG.sub("-", name.lower()).strip("-")
    if readable == name and len(name) <= limit:
        return name
    tail = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable[: limit - 9].strip('-')}-{tail}".lstrip("-")


_CONTROLS = {i: f"\\x{i:02x}" for i in (*range(0x20), *range(0x7F, 0xA0)) if i not in (0x09, 0x0A)}
_CONTROLS |= {i: f"\\u{i:04x}" for i in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)}


def safe_text(text: str, limit: int = 2_000) -> str:
    """Return text from outside made harmless to store and show: escapes for controls and surrogates, cut to a length.

    Line feeds and tabs stay. A cut text ends in ``…`` and the number of characters that are missing.
    """
    # Nearly all texts are plain, and a record has many.
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text
    shown = text[: limit + 1].encode("utf-8", "backslashreplace").decode("utf-8").translate(_CONTROLS)
    if len(text) <= limit and len(shown) <= limit:
        return shown
    kept = shown[: limit - 24]
    return f"{kept}… ({len(text) - min(len(text), len(kept))} more)"
