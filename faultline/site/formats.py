"""The catalogue of file formats: what each is for, who writes and reads it, and where an example lies.

Fields are not described here: they come from the models, so that a page cannot say something else than the code.
"""

from dataclasses import dataclass
from pathlib import Path

from faultline.card.model import EvaluationCard
from faultline.records import (
    Adjudication,
    AgentFile,
    Audit,
    Conflict,
    FrozenCandidate,
    Receipt,
    Record,
    Review,
    ReviewAnswers,
    ReviewMaterial,
    ReviewSample,
    RunManifest,
    Seal,
    Settlement,
    TaskCorrections,
    TaskDefinition,
    TaskVariants,
    Trial,
    UsageFile,
)

EXAMPLES = Path(__file__).with_name("examples")

STRICT_JSON = (
    "UTF-8, and one JSON value as in RFC 8259; NaN and infinity are refused.",
    "A key that stands twice in one object is refused.",
    "A field that the schema does not know is refused; a new field is a new version of the schema.",
    "Types are strict: the text 3 is no number, 1 is not true.",
    "An instant is in UTC and ends in Z; a digest is sha256: and 64 lower-case hexadecimal digits.",
    "What was not measured is an absence with its reason; zero and NaN never stand for it.",
)
"""How every JSON format is read."""
CANONICAL = (
    "Written in canonical form: keys sorted, no spaces, ASCII with escapes, one line that ends in a line feed.",
    "A line in any other form, a torn last line or an empty line is refused with its number.",
)
"""How every JSON format that is sealed is written."""
STRICT_TOML = (
    "TOML 1.0 in UTF-8; a key that stands twice is refused.",
    "A field that the schema does not know is refused, with the file and the field in the message.",
    "Types are strict: a quoted number is no number.",
    "A date is a TOML date, not a text.",
)
"""How every TOML format is read."""


@dataclass(frozen=True)
class Format:
    """A file format with what its page says beside the fields."""

    name: str
    """Of its page and its schema."""
    file: str
    """Where such a file lies, as people write it."""
    model: type[Record]
    group: str
    purpose: str
    written_by: str
    read_by: str
    digest: str
    """What names its content, as a sentence."""
    rules: tuple[str, ...]
    example: str
    """File below ``examples/``."""

    @property
    def schema(self) -> str:
        """Name and version, as the field ``schema`` carries them."""
        allowed = self.model.model_fields["schema_name"].annotation
        return str(getattr(allowed, "__args__", ("",))[0])

    @property
    def example_text(self) -> str:
        """The example, as it lies in the package."""
        return (EXAMPLES / self.example).read_text(encoding="utf-8")

    @property
    def is_json(self) -> bool:
        """Whether the file is JSON; else it is TOML."""
        return self.example.endswith(".json")


TASK, AGENT, RUN, PUBLIC = "Of a task", "Of an agent", "Of a run", "Published"

FORMATS: tuple[Format, ...] = (
    Format(
        "task",
        "tasks/<task>/task.toml",
        TaskDefinition,
        TASK,
        "Says what a task is, what an agent may edit, and how each of its controls must end.",
        "The task's author.",
        "faultline validate, faultline run, the judge, and the gates.",
        "Part of the task's digest: with issue.md, variants.toml, workspace/, hidden/ and repairs/. "
        "Change a byte and the task is unproven again.",
        (
            *STRICT_TOML,
            "id is the folder's name. Every code of wrong and baseline_code is explained in codes and can be given by a check.",
        ),
        "task.toml",
    ),
    Format(
        "variants",
        "tasks/<task>/variants.toml",
        TaskVariants,
        TASK,
        "Gives the skins (consistent renamings) and the ranges of parameters that variants are drawn from.",
        "The task's author.",
        "faultline validate and faultline run, which draw variants by seed; the hidden checks, which build inputs.",
        "Part of the task's digest.",
        (*STRICT_TOML, "The first skin is the workspace as written and renames nothing."),
        "variants.toml",
    ),
    Format(
        "corrections",
        "tasks/<task>/corrections.toml",
        TaskCorrections,
        TASK,
        "Keeps the audit history of a task: what was wrong, what was done, and both commits to check it.",
        "Whoever corrects a task; entries are added and never changed.",
        "The audit history, the task's page and the feed.",
        "Not part of the task's digest: history does not change what a task is. Each entry names the digests before and after.",
        (*STRICT_TOML, "Ids are stable, since links and the feed use them."),
        "corrections.toml",
    ),
    Format(
        "audit",
        "tasks/<task>/audits/<name>.toml",
        Audit,
        TASK,
        "Records that a person other than the author examined a task in one exact form.",
        "The auditor, from the checklist that faultline audit new writes.",
        "The gate that counts independently audited families, and the task's page.",
        "Bound to a task by task_digest; it says nothing about any other form of the task.",
        (
            *STRICT_TOML,
            "One judgement for each hidden check, one answer for each question. A file that still holds a ? is unfinished.",
            "A signature lies beside it under the same name with .sig: ssh-keygen -Y sign -n faultline, over canonical JSON.",
            "tasks/allowed_signers lists whose key is whose, and whoever is listed there must sign.",
            "An audit marked synthetic is refused by the gates that publish.",
        ),
        "audit.toml",
    ),
    Format(
        "agent",
        "agent.toml",
        AgentFile,
        AGENT,
        "Describes a program that works in a directory, so that faultline can run it.",
        "Whoever brings the agent.",
        "faultline run --agent agent.toml.",
        "Its settings and the digests of the program's files enter the manifest as the agent's identity.",
        (*STRICT_TOML, "Only names of environment variables are recorded, never their values."),
        "agent.toml",
    ),
    Format(
        "usage",
        "<workspace>/<usage_file>",
        UsageFile,
        AGENT,
        "Lets an agent say what it used. Each field may be left out, and is then unknown and not zero.",
        "The agent, in its workspace, under the name that usage_file of agent.toml gives.",
        "faultline run, which copies it into the attempt.",
        "Kept inside the attempt of the trial.",
        (*STRICT_JSON[:4], "A file that does not read leaves usage unknown; it never decides a verdict."),
        "usage.json",
    ),
    Format(
        "manifest",
        "runs/<run>/manifest.json",
        RunManifest,
        RUN,
        "Freezes everything that selects or changes the work of a run, before its first attempt.",
        "faultline run and faultline validate, once, before anything is executed.",
        "Workers, faultline resume, seal and verify, the gates and the card.",
        "The digest of its bytes stands in seal.json.",
        (*STRICT_JSON, *CANONICAL, "Every planned cell is listed once; the list is the denominator of every rate."),
        "manifest.json",
    ),
    Format(
        "trial",
        "runs/<run>/trials.jsonl",
        Trial,
        RUN,
        "Records the scored sample of a cell, with every attempt at it; one line a trial.",
        "faultline seal, from the ledger, in the order of the plan.",
        "faultline verify, the gates and the card.",
        "The digest of the whole file stands in seal.json; reviews are bound to it.",
        (
            *STRICT_JSON,
            *CANONICAL,
            "Exactly the planned cells, in the plan's order. A trial is scoreable when it has a verdict.",
        ),
        "trial.json",
    ),
    Format(
        "conflict",
        "runs/<run>/conflicts.jsonl",
        Conflict,
        RUN,
        "Keeps a second result for a cell that had one, or whose worker had lost its claim. It was refused and never scores.",
        "faultline seal, from the ledger; the file exists only when there is a conflict.",
        "faultline verify and the run's page.",
        "The digest of the whole file stands in seal.json.",
        (*STRICT_JSON, *CANONICAL),
        "conflict.json",
    ),
    Format(
        "settlement",
        "runs/<run>/settlements.jsonl",
        Settlement,
        RUN,
        "Tells how an attempt whose write lost its reply was settled, and by which evidence.",
        "faultline reconcile, from the ledger and the receipts; the file exists only when a reply was lost.",
        "faultline verify and the run's page.",
        "The digest of the whole file stands in seal.json.",
        (*STRICT_JSON, *CANONICAL),
        "settlement.json",
    ),
    Format(
        "candidate",
        "runs/<run>/candidates/<digest>.json",
        FrozenCandidate,
        RUN,
        "Holds the tree that was judged: a listing of every file, and the content of those that the agent added or changed. "
        "Public tests that it changed are kept beside, and are no part of the tree.",
        "The harness, before grading.",
        "Reviewers; faultline verify.",
        "digest is the digest of tree, and the file is named after its first 32 hexadecimal digits; when the agent left other "
        "public tests, a hyphen follows and the first 8 digits of the digest of the record. "
        "The digest of the file's bytes stands in the trial and in seal.json.",
        (*STRICT_JSON, *CANONICAL, "Exactly one of text and base64 is set for a file."),
        "candidate.json",
    ),
    Format(
        "receipt",
        ".faultline/runs/<run>/receipts/<cell>.<attempt>.json",
        Receipt,
        RUN,
        "Remembers what an attempt left behind before the ledger heard of it, so that a crash loses no graded trial.",
        "A worker, between grading and recording.",
        "faultline resume; never published.",
        "payload_digest is the digest of the trial inside.",
        (*STRICT_JSON, CANONICAL[0]),
        "receipt.json",
    ),
    Format(
        "seal",
        "runs/<run>/seal.json",
        Seal,
        RUN,
        "Closes a run: the digests of all its other files.",
        "faultline seal, last; its presence says that the run is complete.",
        "faultline verify, the gates and the card. A run without a seal is not read.",
        "The digest of its bytes names the run in every particular; the run's page prints it.",
        (
            *STRICT_JSON,
            *CANONICAL,
            "recorded equals planned, or there is no seal. reviews/ is not covered: people add to it later.",
        ),
        "seal.json",
    ),
    Format(
        "review-sample",
        "runs/<run>/reviews/sample.json",
        ReviewSample,
        RUN,
        "Says which trials of a run people read, and which controls stand among them.",
        "faultline review sample, from the results and the newest validity run of the same tasks.",
        "faultline review packet and collect; the gates, which draw it again.",
        "Its content digest is in every packet and every answer. The draw depends on results_digest, so that nobody picks.",
        (
            *STRICT_JSON,
            "An item is named by the first 16 digits of a hash of the results digest, a line feed and the canonical key.",
            "Items stand in the order of their names. A sample that is not what the results draw is refused.",
        ),
        "review-sample.json",
    ),
    Format(
        "review-material",
        "runs/<run>/reviews/material.json",
        ReviewMaterial,
        RUN,
        "Holds what every reader of a sample is shown, with names taken out.",
        "faultline review packet, the first time.",
        "faultline review packet and collect; the gate for blinded review, which scans it again.",
        "Its content digest stands in every answer and every review: readings of anything else do not count.",
        (*STRICT_JSON, "It holds the items of its sample, in order, and neither agent, model, run, variant nor verdict."),
        "review-material.json",
    ),
    Format(
        "review-answers",
        "review.json, as a reader sends it",
        ReviewAnswers,
        RUN,
        "Carries what one reader says of each item back to the benchmark.",
        "The reader's packet, in a browser.",
        "faultline review collect.",
        "Bound to what was shown by sample and material.",
        (*STRICT_JSON, "Each item of the sample is answered exactly once, or the file is a draft and refused."),
        "review-answers.json",
    ),
    Format(
        "review",
        "runs/<run>/reviews/<reader>.<item>.json",
        Review,
        RUN,
        "Records one person's blinded reading of a sampled trajectory, or of a control among them.",
        "faultline review collect, from the reader's answers.",
        "The gates for blinded review and for agreement.",
        "Bound to the run's results by results_digest and to what was shown by material, so that it cannot be moved.",
        (
            *STRICT_JSON,
            "The key of a control is that of its validity run; results_digest is of the run whose sample it stands in.",
            "A review marked synthetic is refused by the gates that publish.",
        ),
        "review.json",
    ),
    Format(
        "adjudication",
        "runs/<run>/reviews/adjudications/<item>.<person>.json",
        Adjudication,
        RUN,
        "Keeps how a disagreement about one trial was settled: by whom, to what, and why.",
        "faultline review adjudicate, by somebody who did not read the item.",
        "The gates for blinded review and for agreement, and faultline review agreement.",
        "Bound to the reviews that were weighed, by their digests; a later review opens the question again.",
        (
            *STRICT_JSON,
            "Two that contradict each other settle nothing. One marked synthetic is refused by the gates that publish.",
        ),
        "adjudication.json",
    ),
    Format(
        "card",
        "data/card.json",
        EvaluationCard,
        PUBLIC,
        "Is what this site shows, as one record.",
        "faultline build-site, from sealed runs and tasks and nothing else.",
        "Every page, chart and download; anybody who wants to compute with it.",
        "The digest of its bytes, without a line feed at the end, is the card digest in the status line of every page.",
        (
            *STRICT_JSON,
            "leaderboard is either withheld, with the gates that do not hold, or open; open exists only behind a gate pass.",
            "While it is withheld, a run of an agent that is no control is a file of its own, data/runs/<run>.json.",
            "The counts of two agents would otherwise stand side by side here. Their trials stand with their tasks.",
        ),
        "card.json",
    ),
)
