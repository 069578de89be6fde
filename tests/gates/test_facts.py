"""What is gathered from a benchmark."""

from dataclasses import replace
from pathlib import Path

import factories
import pytest

from faultline.errors import BadInputError
from faultline.gates import gather
from faultline.kinds import AgentKind

SMALL = factories.small()


def test_runs_stand_oldest_first():
    """
    The order is that of sealing, not of names.
    """
    runs = [
        factories.evaluation_run(SMALL.tasks, "a-late", hours=9.0),
        factories.evaluation_run(SMALL.tasks, "z-early", hours=1.0),
    ]

    assert ["z-early", "a-late"] == [run.name for run in gather(factories.benchmark(SMALL.tasks, runs)).runs]


@pytest.mark.parametrize(
    ("kind", "claims"),
    [(AgentKind.COMMAND, 1), (AgentKind.NO_OP, 0), (AgentKind.REFERENCE, 0), (AgentKind.CONTROL, 0), (AgentKind.IMPORTED, 1)],
)
def test_only_agents_make_claims(kind, claims):
    """
    Evaluations of controls say nothing about agents; every other one does.
    """
    run = factories.evaluation_run(SMALL.tasks, who=factories.agent("someone", kind))

    assert claims == len(gather(factories.benchmark(SMALL.tasks, [run])).claims)


def test_controls_of_a_task():
    """
    Baseline and reference, the other valid repairs, and each wrong repair with its code.
    """
    controls = gather(SMALL).tasks[0].controls

    assert [
        ("baseline", "baseline", "ROWS_LOST"),
        ("reference", "reference", None),
        ("valid-other", "valid", None),
        ("wrong-guess", "wrong", "ORDER_COUNTS"),
        ("wrong-half", "wrong", "ROWS_LOST"),
    ] == [(item.name, item.role, item.code) for item in controls]


@pytest.mark.parametrize(
    ("place", "area"),
    [
        ("/srv/x/bench/tasks/a/task.toml: id", "tasks"),
        ("/srv/x/bench/runs/r", "runs"),
        ("runs/r/reviews/one.json", "reviews"),
        ("pyproject.toml", "settings"),
    ],
)
def test_problems_have_a_place_inside_the_benchmark(place, area):
    """
    Where the benchmark lies on a machine is not published; the part of the evidence is told by the place.
    """
    error = BadInputError(place, "broken", next_step="look at /srv/x/bench/tasks/a")
    problem = gather(replace(SMALL, root=Path("/srv/x/bench"), problems=(error,))).problems[0]

    assert area == problem.area
    assert "/home" not in problem.place + problem.text


@pytest.mark.parametrize(
    "change",
    [
        lambda b: replace(b, reviews=b.reviews[1:]),
        lambda b: replace(b, runs=b.runs[1:]),
        lambda b: replace(b, problems=(BadInputError("x", "y"),)),
        lambda b: replace(b, tasks=(replace(b.tasks[0], audits=()), *b.tasks[1:])),
        lambda b: factories.swap(
            b, factories.retrial(b.runs[1], lambda t: t.model_copy(update={"outcome": factories.failed()}))
        ),
        lambda b: replace(b, runs=(replace(b.runs[0], trials=b.runs[0].trials[1:]), *b.runs[1:])),
    ],
)
def test_every_piece_of_evidence_is_in_the_digest(change):
    """
    Changing or removing any record gives another digest, with or without a new seal.
    """
    assert gather(SMALL).digest != gather(change(SMALL)).digest


def test_the_order_of_files_is_not_in_the_digest():
    """
    The same records in another order have the same digest.
    """
    assert gather(SMALL).digest == gather(replace(SMALL, runs=SMALL.runs[::-1], reviews=SMALL.reviews[::-1])).digest
