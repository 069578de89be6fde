"""What ``review agreement`` prints of one run."""

from dataclasses import dataclass
from typing import Any

from faultline.gates.reviewer_agreement import sentence
from faultline.kinds import safe_text
from faultline.records import Adjudication
from faultline.review import AgreementReport, ItemReadings, Recognition
from faultline.statistics import Agreement, Proportion


@dataclass(frozen=True)
class RunAgreement:
    """What the readings of one run's sample show, and what they lack."""

    run: str
    report: AgreementReport
    adjudications: tuple[Adjudication, ...]
    lacks: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return all of it for a terminal."""
        report = self.report
        found = [f"{self.run}: {sentence(report, labels=True)}"]
        found += [
            f"  {what}: {bound_words(bound)}"
            for what, bound in (
                ("recorded as passed and wrong", report.false_passes),
                ("recorded as failed and wrong", report.false_failures),
            )
        ]
        found += [f"  {_dispute(item)}" for item in report.items if item.disputed and item.item.role == "trajectory"]
        found += [f"  lacks {gap}" for gap in self.lacks]
        return found

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        report = self.report
        return {
            "run": self.run,
            "alpha": _agreement(report.alpha),
            "ac1": _agreement(report.ac1),
            "raw_agreement": report.ac1.raw_agreement,
            "prevalence": dict(report.ac1.prevalence),
            "controls": {"good": _recognition(report.good), "bad": _recognition(report.bad)},
            "grader_error": {"false_passes": _bound(report.false_passes), "false_failures": _bound(report.false_failures)},
            "disagreements": [
                {
                    "item": item.item.item,
                    "key": item.item.key.model_dump(mode="json"),
                    "recorded": item.recorded,
                    "readings": dict(item.readings),
                    "settled": item.adjudicated,
                    "open": item.is_open,
                }
                for item in report.items
                if item.disputed and item.item.role == "trajectory"
            ],
            "adjudications": [item.model_dump(mode="json") for item in self.adjudications],
            "lacks": list(self.lacks),
        }


def bound_words(bound: Proportion) -> str:
    """Return a bound for people."""
    if bound.interval is None or bound.estimate is None:
        return "none was read"
    errors = round(bound.estimate * bound.n)
    return f"{errors} of {bound.n} read; at most {100 * bound.interval.high:.1f} % of all (95 %, {bound.method})"


def _dispute(item: ItemReadings) -> str:
    said = ", ".join(f"{safe_text(name, 80)} {reading}" for name, reading in item.readings)
    state = f"settled: {item.adjudicated}" if item.adjudicated else "open"
    key = item.item.key
    return f"{item.item.item} ({key.task}.{key.variant}.{key.agent}.{key.trial}) recorded {item.recorded}; {said}; {state}"


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "estimate": found.estimate,
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "items": found.n,
        "families": found.clusters,
        "status": found.status.value,
        "reason": found.reason,
        "seed": found.seed,
    }


def _recognition(found: Recognition) -> dict[str, Any]:
    return {"items": found.items, "readings": found.readings, "right": found.right}


def _bound(found: Proportion) -> dict[str, Any]:
    return {
        "errors": None if found.estimate is None else round(found.estimate * found.n),
        "read": found.n,
        "upper": found.interval.high if found.interval else None,
        "method": found.method,
    }
