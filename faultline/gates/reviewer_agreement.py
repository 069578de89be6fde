"""G12: do readers agree, do they know a good repair from a bad one, and is every disagreement settled?

Agreement is Krippendorff's alpha or, where one label prevails and alpha loses its meaning, Gwet's AC1; the lower end of an
interval must be high enough, never the estimate alone. Controls with a known verdict stand among the items: readers who
call everything right agree perfectly, and are found out by them.
"""

from collections import Counter

from faultline.gates.blinded_review import REVIEWERS, drawn_again, standing_of
from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Verdict
from faultline.review import AgreementReport, ItemReadings, Recognition, agreement_of

AGREEMENT = Threshold(
    "G12", "reviewer_agreement", 0.667, "more", 0.99, "Lower end of the interval of alpha, or of AC1, for each evaluation."
)
RECOGNISED = Threshold(
    "G12", "controls_recognised", 0.9, "more", 1.0, "Share of readings of good controls, and of bad ones, that are right."
)
CONTROLS = Threshold(
    "G12", "controls_of_each_kind", 3, "more", 1_000, "Good controls, and bad ones, in each sample; all when there are fewer."
)


def probe(facts: Facts, policy: Policy) -> Finding:
    """Look at the readings of every evaluation's sample."""
    if not facts.claims:
        return Finding(
            "not-run",
            "There are no readings yet that could agree",
            "No evaluation of an agent was found." + and_outdated(facts),
            observed="0",
            unit="evaluations with readers who agree",
            share=0.0,
        )
    lacking: list[Lack] = []
    told: list[str] = []
    good = 0
    for run in facts.claims:
        report = report_of(run, facts)
        gaps = _gaps(run, facts, report, policy)
        lacking += gaps
        good += not gaps
        told += [f"{run.name}: {sentence(report)}"] if report is not None else []
    number = len(facts.claims)
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=_headline(good, number),
        saw=" ".join(told) or f"No sample of {count_of(number, 'evaluation')} has been read." + and_outdated(facts),
        observed=str(good),
        needed=str(number),
        unit="evaluations with readers who agree",
        share=good / number,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def report_of(run: RunFacts, facts: Facts) -> AgreementReport | None:
    """Return what the counted readings of a run's sample show; ``None`` when none was drawn."""
    room = facts.rooms.get(run.name)
    if room is None or room.sample is None:
        return None
    known = ("agreement", run.name)
    if known not in facts.memo:
        standing = standing_of(run, facts, [item.key for item in room.sample.items])
        facts.memo[known] = agreement_of(
            room.sample,
            standing.counted,
            room.adjudications,
            recorded={trial.key: trial.outcome.verdict for trial in run.trials},
            families={task.id: task.family for task in facts.tasks},
            frame=Counter[Verdict](trial.outcome.verdict for trial in run.trials),
        )
    found: AgreementReport = facts.memo[known]
    return found


def sentence(report: AgreementReport, *, labels: bool = False) -> str:
    """Return what the readings of one sample show, for people.

    With ``labels``, how often each reading was given stands beside the agreement. That is nearly a pass rate of the agent, so
    the site does not show it.
    """
    alpha, ac1 = report.alpha, report.ac1
    if ac1.raw_agreement is None or ac1.interval is None:
        return "no trajectory was read by two people."
    given = ", ".join(f"{label} {100 * share:.0f} %" for label, share in ac1.prevalence)
    items = count_of(ac1.n, "trajectory", "trajectories") + (f" ({given})" if labels else "")
    interval = f" ({alpha.interval.low:.2f} to {alpha.interval.high:.2f})" if alpha.interval is not None else ""
    words = "alpha is undefined, " + alpha.reason if alpha.estimate is None else f"alpha {alpha.estimate:.2f}{interval}"
    return (
        f"raw agreement {100 * ac1.raw_agreement:.0f} % on {items}; "
        f"{words}; "
        f"AC1 {ac1.estimate:.2f} ({ac1.interval.low:.2f} to {ac1.interval.high:.2f}); controls recognised: "
        f"good {report.good.right} of {report.good.readings}, bad {report.bad.right} of {report.bad.readings} readings; "
        f"{count_of(len(report.open), 'disagreement is', 'disagreements are')} open."
    )


def agreement_gaps(report: AgreementReport, policy: Policy) -> list[str]:
    """Return what the readings of one sample lack, as clauses."""
    gaps = []
    if report.lower is None or report.lower <= policy[AGREEMENT]:
        shown = "nothing" if report.lower is None else f"{report.lower:.2f}"
        gaps.append(f"agreement: its lower end is {shown}, and more than {policy[AGREEMENT]:g} is needed")
    gaps += [
        f"{kind} controls that readers recognise: {found.right} of {count_of(found.readings, 'reading')} right, and "
        f"{100 * policy[RECOGNISED]:g} % are needed"
        for kind, found in (("good", report.good), ("bad", report.bad))
        if not _recognised(found, policy)
    ]
    return gaps


def _recognised(found: Recognition, policy: Policy) -> bool:
    return found.share is not None and found.share >= policy[RECOGNISED] - 1e-12


def _gaps(run: RunFacts, facts: Facts, report: AgreementReport | None, policy: Policy) -> list[Lack]:
    room = facts.rooms.get(run.name)
    if report is None or room is None or room.sample is None:
        return [lack(run.link, "a sample that people have read (faultline review sample)")]
    where = Link(label=f"{run.name}: sample", kind="file", target=f"runs/{run.name}/reviews/sample.json")
    gaps = []
    right = drawn_again(run, facts, room.sample)
    controls = {item.canonical() for item in room.sample.items if item.role != "trajectory"}
    if right is None or controls != {item.canonical() for item in right.items if item.role != "trajectory"}:
        gaps.append(lack(where, "the controls that the results draw: others stand in the sample"))
    if room.sample.controls_each < policy[CONTROLS]:
        gaps.append(lack(where, f"{policy[CONTROLS]} controls of each kind: {room.sample.controls_each} were asked for"))
    people = policy[REVIEWERS]
    gaps += [
        lack(where, f"{count_of(people - len(item.readings), 'more reader')} of the control {item.item.item}")
        for item in report.items
        if item.item.role != "trajectory" and len(item.readings) < people
    ]
    gaps += [lack(run.link, gap) for gap in agreement_gaps(report, policy)]
    return gaps + [_open(run, item) for item in report.open if item.item.role == "trajectory"]


def _open(run: RunFacts, item: ItemReadings) -> Lack:
    key = item.item.key
    label = f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
    where = Link(label=f"{run.name}: {label}", kind="run", target=run.name, anchor=label)
    said = ", ".join(f"{name} {reading}" for name, reading in item.readings)
    return lack(
        where, f"a settlement by somebody else (faultline review adjudicate): it is recorded as {item.recorded}; {said}"
    )


def _headline(good: int, number: int) -> str:
    if good == number:
        return "Readers agree, know good repairs from bad ones, and every disagreement is settled"
    if good == 0:
        return "Nothing shows that readers agree and know a good repair from a bad one"
    return f"Only for {good} of {number} evaluations do readers agree and know a good repair from a bad one"


GATE = Gate(
    id="G12",
    name="Reviewer agreement",
    predicate=(
        "For every evaluation the lower end of the interval of Krippendorff's alpha, or of Gwet's AC1, is above 0.667; at "
        "least 90 % of the readings of good controls and of bad ones are right; and a third person has settled every "
        "disagreement."
    ),
    why=(
        "Readers who call everything right agree perfectly and have seen nothing. Agreement by chance, controls that nobody "
        "recognises and disputes that nobody settles make a review worth less than none."
    ),
    remedy="Let more people read the sample, and settle each disagreement with somebody who did not read the item.",
    command="faultline review agreement <run>",
    reads=("tasks", "runs", "reviews"),
    thresholds=(AGREEMENT, RECOGNISED, CONTROLS),
    probe=probe,
)
