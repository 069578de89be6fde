"""Charts are drawings of numbers that stand in the card, with the same bytes wherever they are made."""

import re

import factories
import pytest
from markupsafe import Markup
from site_helpers import Html

from faultline.card import build_card
from faultline.card.model import Distribution
from faultline.records import unknown
from faultline.site import charts

NAMES = ("outcomes_by_mode", "agent_time", "as_expected", "grading_by_task")


def drawn(card):
    """Return every chart of every run by run and function."""
    made = {(run.run, name): getattr(charts, name)(run) for run in card.runs for name in NAMES}
    return {key: chart for key, chart in made.items() if chart is not None}


@pytest.fixture(scope="module")
def all_charts():
    return drawn(build_card(factories.small()))


def one(value):
    return Distribution(known=3, unknown=1, minimum=value / 2, median=value, p90=2 * value, maximum=3 * value, total=4 * value)


def test_the_same_numbers_give_the_same_bytes(all_charts):
    """
    Drawing everything a second time, in another order, gives the same bytes.
    """
    again = {
        (run.run, name): getattr(charts, name)(run)
        for run in reversed(build_card(factories.small()).runs)
        for name in reversed(NAMES)
    }

    assert all_charts == {key: chart for key, chart in again.items() if chart}


def test_a_cached_drawing_is_the_drawing(tmp_path):
    """
    With a cold cache, with a warm one and without any, the bytes are the same, and the warm one is read from the folder.
    """
    items = [("alpha", one(1.0)), ("beta", one(2.0))]
    free = charts.spreads(items, "T", "what", "Task")
    with charts.cached_in(tmp_path / "deep" / "charts"):
        cold = charts.spreads(items, "T", "what", "Task")
        kept = sorted((tmp_path / "deep" / "charts").iterdir())
        warm = charts.spreads(items, "T", "what", "Task")

        assert free == cold == warm
        assert 1 == len(kept)
        kept[0].write_text("<svg>from the folder</svg>", encoding="utf-8")
        assert "<svg>from the folder</svg>" == charts.spreads(items, "T", "what", "Task").svg


def test_a_cached_drawing_that_is_empty_is_drawn_again(tmp_path):
    """
    A file in the cache that holds no drawing is drawn anew.
    """
    items = [("alpha", one(1.0))]
    with charts.cached_in(tmp_path):
        whole = charts.spreads(items, "T", "what", "Task")
        (kept,) = tmp_path.iterdir()
        kept.write_text("", encoding="utf-8")

        assert whole == charts.spreads(items, "T", "what", "Task")


def test_no_drawing_holds_a_script_or_an_address(all_charts):
    """
    A drawing has no script, no event, no link and no outside address but the names of its own XML vocabularies.
    """
    for chart in all_charts.values():
        page = Html(str(chart.svg))
        assert not {"script", "a", "image", "foreignobject", "style"} & {element.tag for element in page.elements}
        for element in page.elements:
            for name, value in element.attributes.items():
                assert not name.startswith("on")
                assert name.startswith("xmlns") or "//" not in value


def test_ids_do_not_meet(all_charts):
    """
    Two charts share no id, and no id is one that vl-convert numbers by process.
    """
    seen = [name for chart in all_charts.values() for name in Html(str(chart.svg)).ids]

    assert sorted(set(seen)) == sorted(seen)
    assert [] == [name for name in seen if not re.match(r"c[0-9a-f]{10}-", name)]


def test_tidy_names_ids_by_the_drawing():
    """
    Ids and what refers to them are renamed together.
    """
    svg = '<svg width="10" height="20" viewBox="0 0 10 20"><clipPath id="clip1"/><g clip-path="url(#clip1)"/></svg>'

    assert '<clipPath id="cabc-clip1"/><g clip-path="url(#cabc-clip1)"/>' in charts.tidy(svg, "abc")


def test_colours_follow_the_scheme(all_charts):
    """
    Text takes the page's colour, and every other colour is a variable of the page.
    """
    for chart in all_charts.values():
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', str(chart.svg)))

        assert "currentColor" in colours
        assert not {colour for colour in colours if not colour.startswith("var(--fl-")} - {
            "currentColor",
            "none",
            "transparent",
        }


def test_text_in_a_drawing_is_escaped():
    """
    A name that looks like markup is text in the drawing.
    """
    chart = charts.spreads([("<script>alert(1)</script>", one(1.0))], "T", "<b>what</b>", "Task")

    assert [] == Html(str(chart.svg)).all("script")
    assert isinstance(chart.svg, Markup)


def test_the_table_says_what_the_drawing_shows():
    """
    The table beside a chart holds the counts of the card.
    """
    card = build_card(factories.small())
    run = next(run for run in card.runs if run.kind == "evaluation")

    assert (
        tuple((mode.value.replace("-", " "), str(count)) for mode, count in run.counts.modes.items())
        == charts.outcomes_by_mode(run).rows
    )
    assert len(run.trials) == len(charts.agent_time(run).rows)


def test_what_nobody_measured_is_not_drawn():
    """
    With no known time there is no chart of times, rather than one that shows zero.
    """
    run = build_card(factories.small()).runs[0]
    silent = run.model_copy(
        update={"trials": tuple(row.model_copy(update={"agent_seconds": unknown("lost")}) for row in run.trials)}
    )

    assert charts.agent_time(silent) is None
    assert charts.spreads([], "T", "what", "Task") is None


def test_too_many_marks_are_not_drawn():
    """
    A run with more trials than can be told apart has no chart of single trials.
    """
    run = next(run for run in build_card(factories.small()).runs if run.kind == "evaluation")
    many = run.model_copy(update={"trials": run.trials * (charts.MOST_MARKS // len(run.trials) + 1)})

    assert charts.agent_time(many) is None
