"""Write the JSON examples of the format pages anew, after a change of a record: ``python tests/site/accept_examples.py``.

Everything in them is made up; the TOML examples are written by hand, for their comments.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import factories

from faultline.card import build_card
from faultline.kinds import digest_bytes
from faultline.records import (
    Adjudication,
    ArtifactRef,
    CandidateFile,
    Changes,
    CheckResult,
    Conflict,
    FrozenCandidate,
    Reason,
    Receipt,
    Record,
    Review,
    ReviewAnswer,
    ReviewAnswers,
    ReviewMaterial,
    ReviewSample,
    SampledItem,
    Seal,
    Settlement,
    Trial,
    digest_of_plain,
)
from faultline.site.formats import EXAMPLES

RUN = "evaluation-2026-03-21-mender"


def examples() -> dict[str, Record]:
    """Return the record of each JSON example by its file."""
    task = factories.task("visit-partition", author="A. Author")
    run = factories.evaluation_run(
        [task], RUN, factories.agent("mender"), lambda _: factories.failed(), variants=1, trials=1, synthetic=True
    )
    trial = _trial(run.trials[0])
    lines = trial.canonical() + b"\n"
    sample, material = _review(trial, digest_bytes(lines))
    return {
        "manifest.json": run.manifest,
        "trial.json": trial,
        "conflict.json": Conflict(
            schema_name="faultline/conflict/1",
            key=trial.key,
            why="other-payload",
            recorded=digest_bytes(b"the result that counts"),
            refused=trial.content_digest(),
            trial=trial,
        ),
        "settlement.json": Settlement(
            schema_name="faultline/settlement/1",
            key=trial.key,
            attempt=1,
            state="recorded",
            observed="the reply to a write was lost: the connection was closed",
            stored=trial.content_digest(),
            receipt=trial.content_digest(),
            evidence="the store holds the result of attempt 1; its receipt holds the same",
            settled_at=factories.at(1.5),
        ),
        "receipt.json": Receipt(
            schema_name="faultline/receipt/1",
            key=trial.key,
            attempt=1,
            payload_digest=trial.content_digest(),
            trial=trial,
            written_at=factories.at(1),
        ),
        "candidate.json": _candidate(),
        "seal.json": Seal(
            schema_name="faultline/seal/1",
            run=RUN,
            sealed_at=factories.at(2),
            planned=1,
            recorded=1,
            conflicts=0,
            files={
                "manifest.json": digest_bytes(run.manifest.canonical() + b"\n"),
                "trials.jsonl": digest_bytes(lines),
                **{item.path: item.sha256 for item in trial.last.artifacts},
            },
        ),
        "review.json": Review(
            schema_name="faultline/review/1",
            key=trial.key,
            results_digest=digest_bytes(lines),
            reviewer="C. Onlooker",
            reviewed_at=factories.at(48),
            blinded=True,
            verdict_seen_right=True,
            reading="failed",
            confidence=3,
            material=material.content_digest(),
            notes="An example for this page; nobody made this review.",
            synthetic=True,
        ),
        "review-sample.json": sample,
        "review-material.json": material,
        "review-answers.json": ReviewAnswers(
            schema_name="faultline/review-answers/1",
            sample=sample.content_digest(),
            material=material.content_digest(),
            reviewer="C. Onlooker",
            saved_at=factories.at(48),
            answers=tuple(
                ReviewAnswer(item=item.item, reading="failed", confidence=3, recognised=False) for item in sample.items
            ),
        ),
        "adjudication.json": Adjudication(
            schema_name="faultline/adjudication/1",
            item=sample.items[0].item,
            key=sample.items[0].key,
            results_digest=digest_bytes(lines),
            adjudicator="D. Third",
            adjudicated_at=factories.at(72),
            verdict="failed",
            why="An example for this page; nobody settled this.",
            reviews=(digest_bytes(b"one reading"), digest_bytes(b"another reading")),
            synthetic=True,
        ),
        "card.json": _card(),
    }


def _review(of: Trial, results: str) -> tuple[ReviewSample, ReviewMaterial]:
    """Return a sample of one trial and one control, and what readers are shown of them."""
    known = of.key.model_copy(update={"run": "validity-2026-03-20", "agent": "wrong-half"})
    items = (
        SampledItem(item="0123456789abcdef", key=of.key, role="trajectory"),
        SampledItem(item="fedcba9876543210", key=known, role="bad-control"),
    )
    sample = ReviewSample(
        schema_name="faultline/review-sample/1",
        run=RUN,
        results_digest=results,
        size=30,
        controls_run="validity-2026-03-20",
        controls_digest=digest_bytes(b"the results of the validity run"),
        controls_each=3,
        items=items,
    )
    return sample, factories.material(sample)


def _candidate() -> FrozenCandidate:
    text = "def split(patients):\n    return list(patients)\n"
    tree = {"README.md": digest_bytes(b"A patient table.\n"), "pkg/split.py": digest_bytes(text.encode())}
    return FrozenCandidate(
        schema_name="faultline/candidate/1",
        digest=digest_of_plain(tree),
        workspace_digest=digest_bytes(b"the workspace"),
        tree=tree,
        files={"pkg/split.py": CandidateFile(text=text)},
    )


def _trial(of: Trial) -> Trial:
    frozen = _candidate()
    stored = frozen.canonical() + b"\n"
    artifacts = (
        ArtifactRef(
            role="trace",
            path="traces/visit-partition.clinic-0000.mender.0.1.json.gz",
            sha256=digest_bytes(b"a trace"),
            size=5210,
        ),
        ArtifactRef(
            role="candidate",
            path=f"candidates/{frozen.digest.removeprefix('sha256:')[:32]}.json",
            sha256=digest_bytes(stored),
            size=len(stored),
        ),
    )
    reason = Reason(code="ROWS_LOST", measured={"rows": 120, "missing": 4})
    checks = (
        CheckResult(check="rows_stay", result="failed", reason=reason),
        CheckResult(check="order_is_free", result="passed"),
    )
    return of.model_copy(
        update={
            "attempts": (of.last.model_copy(update={"artifacts": artifacts, "candidate": frozen.digest}),),
            "outcome": factories.failed(reasons=(reason,), checks=checks),
            "changes": Changes(
                added=(), modified=("pkg/split.py",), deleted=(), ignored=("notes.txt",), restored=("tests/test_all.py",)
            ),
        }
    )


def _card() -> Record:
    """Return the card of a benchmark with nothing in it, cut to one gate and one word."""
    card = build_card(factories.benchmark())
    report = card.report.model_copy(
        update={"gates": card.report.gates[:1], "policy": card.report.policy[:1], "total": 1, "holding": 0}
    )
    withheld = card.leaderboard.model_copy(update={"gates": (report.gates[0].id,)})
    return card.model_copy(
        update={"report": report, "leaderboard": withheld, "failure_classes": (), "glossary": card.glossary[:1]}
    )


def shown(record: Record) -> str:
    """Return a record spread over lines for reading."""
    return json.dumps(json.loads(record.canonical()), indent=2) + "\n"


if __name__ == "__main__":
    for name, record in examples().items():
        (EXAMPLES / name).write_text(shown(record), encoding="utf-8")
