"""Every known way to game the gates: from a benchmark that passes everything, one trick, and the gate that must see it.

The table is that of the literature on agent benchmarks: copies of a template, audits by the author, retries as trials, numbers
nobody measured, records dropped or relabelled. Leaks of a withheld ranking are tried on the whole site in ``tests/site``.
"""

import dataclasses
from datetime import date
from decimal import Decimal

import factories
import pytest
from click.testing import CliRunner

from faultline.card import assemble
from faultline.cli.main import COMMANDS, cli
from faultline.errors import BadInputError, Faults, IntegrityError
from faultline.gates import THRESHOLDS, evaluate, gate_policy, gather
from faultline.kinds import AgentKind, digest_bytes
from faultline.records import Cost, Trial

FULL = factories.full()
TASKS = FULL.tasks
VALIDITY, TINKER, MENDER, *IDLE = FULL.runs
FIRST = TINKER.trials[0]


def tasks(change):
    """Return the full benchmark with every task changed, digests and audits kept."""
    return dataclasses.replace(FULL, tasks=tuple(change(task) for task in TASKS))


def first_task(change):
    return dataclasses.replace(FULL, tasks=(change(TASKS[0]), *TASKS[1:]))


def trials(change, chosen=(FIRST.key,)):
    """Return the full benchmark with some trials of the first evaluation changed, and its sample read again."""
    return factories.read_again(FULL, factories.retrial(TINKER, lambda t: change(t) if t.key in chosen else t))


def attempt(**changes):
    return lambda trial: trial.model_copy(update={"attempts": (trial.last.model_copy(update=changes),)})


def a_reading():
    """Return a reading of a drawn trajectory of an agent, and not of a control."""
    trajectories = {item.key for room in FULL.rooms for item in room.sample.items if item.role == "trajectory"}
    return next(item for item in FULL.reviews if item.key in trajectories)


def swapped_item():
    """Return the full benchmark in which one drawn trajectory was not read, and another was in its place."""
    drawn = {review.key for review in FULL.reviews}
    nicer = next(trial.key for trial in TINKER.trials if trial.key not in drawn)
    gone = a_reading().key
    readings = tuple(item.model_copy(update={"key": nicer}) if item.key == gone else item for item in FULL.reviews)
    return dataclasses.replace(FULL, reviews=readings)


def named_in_notes():
    told = a_reading()
    readings = tuple(
        item.model_copy(update={"notes": "As tinker, I would say"}) if item is told else item for item in FULL.reviews
    )
    return dataclasses.replace(FULL, reviews=readings)


def more(run):
    return factories.read_again(FULL, run)


LABEL = "evaluation-1: task-00.clinic-0000.tinker.0"
FAILED = [trial.key for trial in TINKER.trials if trial.outcome.verdict == "failed"]

TRICKS = {
    "twenty copies of one template under twenty names": (
        tasks(
            lambda task: dataclasses.replace(task, hidden_source=factories.hidden_source("one") + f"# {task.definition.canary}")
        ),
        "G1",
        "task-19: a template of its own: its hidden checks have the shape of those of task-00",
    ),
    "the author audits": (
        first_task(lambda t: factories.audited(dataclasses.replace(t, audits=t.audits[:1]), ["ada  AUTHOR"])),
        "G1",
        "ada  AUTHOR, the author",
    ),
    "one person audits twice": (
        first_task(lambda t: factories.audited(dataclasses.replace(t, audits=()), ["Bea Reader", "BEA READER <b@x>"])),
        "G1",
        "task-00: 1 more independent auditor",
    ),
    "an audit of another form": (
        first_task(
            lambda t: dataclasses.replace(
                t, audits=(t.audits[0], t.audits[1].model_copy(update={"task_digest": digest_bytes(b"one byte less")}))
            )
        ),
        "G1",
        "task-00: 1 more independent auditor of its current form",
    ),
    "a retry promoted to a trial": (
        trials(
            lambda t: t.model_copy(update={"attempts": (t.last.model_copy(update={"number": 2}),), "attempts_complete": False})
        ),
        "G3",
        f"{LABEL}: a first attempt: this begins with attempt 2, a retry",
    ),
    "a cost of zero": (
        trials(attempt(cost=Cost(usd=Decimal(0), source="s", complete=True))),
        "G4",
        f"{LABEL}: cost: 0 is no measurement",
    ),
    "a latency of zero": (
        trials(attempt(timing=FIRST.last.timing.model_copy(update={"agent": 0.0}))),
        "G4",
        f"{LABEL}: agent time: 0 is no measurement",
    ),
    "a review sample picked by hand": (swapped_item(), "G5", "2 reviews do not (not drawn)"),
    "reviewers told whom they read": (named_in_notes(), "G5", "1 review does not (the notes name the agent)"),
    "failures relabelled as faults of the infrastructure": (
        trials(lambda t: t.model_copy(update={"outcome": factories.invalid()}), FAILED[:3]),
        "G11",
        f"evaluation-1: {'.'.join(map(str, (FAILED[0].task, FAILED[0].variant, 'tinker', FAILED[0].trial)))}: a fault that the",
    ),
    "a failed check left out of the record": (
        trials(lambda t: t.model_copy(update={"outcome": factories.passed(checks=factories.passed().checks[1:])}), FAILED[:1]),
        "G15",
        "a verdict that follows from its checks: none does, and passed is declared",
    ),
    "a task lost from what a do-nothing agent was tried on": (
        dataclasses.replace(
            FULL,
            runs=(
                factories.remanifest(
                    VALIDITY,
                    agents=tuple(
                        who.model_copy(update={"kind": AgentKind.CONTROL}) if who.name == "baseline" else who
                        for who in VALIDITY.manifest.agents
                    ),
                ),
                TINKER,
                MENDER,
                *IDLE,
            ),
        ),
        "G10",
        "task-00: a trial of no-op, which repairs nothing, in its current form",
    ),
    "a day far off": (
        dataclasses.replace(FULL, valid_until=date(2126, 1, 1)),
        "G14",
        "valid_until: a day not after 2027-03-02",
    ),
    "no day at all": (dataclasses.replace(FULL, valid_until=None), "G14", "valid_until: a day in [tool.faultline]"),
    "twice the time for one agent": (
        more(factories.remanifest(MENDER, agents=(factories.agent("mender", seconds=10.0),))),
        "G13",
        "evaluation-2: equal conditions: evaluation-1 and evaluation-2: time for task-00",
    ),
    "a second try after a verdict": (
        trials(
            lambda t: t.model_copy(
                update={"attempts": (t.last.model_copy(update={"artifacts": ()}), t.last.model_copy(update={"number": 2}))}
            )
        ),
        "G13",
        f"{LABEL}: one verdict: it was tried again after one",
    ),
    "a canary that the record keeps to itself": (
        factories.swap(FULL, dataclasses.replace(TINKER, carriers=(FIRST.last.artifacts[0].path,))),
        "G8",
        f"{LABEL}: hidden files out of reach",
    ),
}


def test_nothing_is_shut_before_a_trick(shut):
    """
    The benchmark that every trick starts from passes every gate in a rehearsal.
    """
    assert {} == shut(FULL)


@pytest.mark.parametrize("trick", TRICKS)
def test_one_trick_is_seen_by_its_gate_alone(shut, trick):
    """
    Exactly the gate that the trick is about does not hold, and it names the offender.
    """
    benchmark, gate, words = TRICKS[trick]
    found = shut(benchmark)

    assert [gate] == list(found)
    assert words in found[gate]


def test_a_dropped_record(shut):
    """
    A record that is dropped leaves a place in the plan, and G7 names the cell; the gates that count trials see it as well.
    """
    found = shut(factories.read_again(FULL, factories.retrial(TINKER, lambda t: None if t == FIRST else t)))

    assert f"{LABEL}: one record of this planned trial; 0 found" in found["G7"]
    assert ["G3", "G4", "G7"] == list(found)


@pytest.mark.parametrize("value", [b"NaN", b"Infinity", b"-1.0", b'"0.5"'])
def test_numbers_that_are_none_cannot_be_recorded(value):
    """
    A latency that is no number, infinite or negative is refused when the record is read, before any gate.
    """
    line = FIRST.canonical().replace(b'"agent":2.5', b'"agent":' + value)

    assert line != FIRST.canonical()
    with pytest.raises((BadInputError, Faults)):
        Trial.parse(line, "trials.jsonl:1")


def test_a_gate_pass_for_other_results():
    """
    A pass that was given for other results is refused when the card is made.
    """
    held = evaluate(gather(FULL), gate_policy(), publishing=False)
    other = trials(lambda t: t.model_copy(update={"outcome": factories.failed()}))

    with pytest.raises(IntegrityError, match="evaluated on other records"):
        assemble(other, held)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_forces_anything(command):
    """
    No command has an option or a variable of the environment that opens, skips or forces a gate.
    """
    text = CliRunner().invoke(cli, [command, "--help"]).output.lower()

    assert [] == [word for word in ("--force", "--skip", "--publish", "--allow-synthetic", "--no-gate") if word in text]
    assert [] == [option for option in cli.get_command(None, command).params if option.envvar]


def test_no_setting_forces_anything():
    """
    Every setting of the gates is a threshold with a floor.
    """
    assert all(threshold.stricter in ("more", "less") for threshold in THRESHOLDS)
    assert len({threshold.name for threshold in THRESHOLDS}) == len(THRESHOLDS)


def test_the_report_is_the_same_whichever_agent_does_better():
    """
    With the results of two agents exchanged no gate says another word, so that a report tells nothing about agents; only the
    trajectories that G5 draws follow the results, as they must.
    """

    def words(first, second):
        runs = [
            VALIDITY,
            factories.evaluation_run(TASKS, ending=first),
            factories.evaluation_run(TASKS, "evaluation-2", factories.agent("mender"), second, hours=3.0),
        ]
        report = evaluate(gather(factories.benchmark(TASKS, runs)), gate_policy(), publishing=False).report
        return [gate for gate in report.gates if gate.id != "G5"]

    def better(cell):
        return factories.passed() if cell.trial else factories.half_right(cell)

    assert words(better, factories.half_right) == words(factories.half_right, better)
