"""Charts as themable inline SVG: the only module that knows Altair and vl-convert.

Nothing is computed here: a chart shows numbers that stand in the card. Colours are CSS variables and ``currentColor``, so one
drawing serves light and dark. Bytes depend on the drawing alone: what vl-convert numbers by process is renamed from a digest.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from markupsafe import Markup

from faultline.card.model import Distribution, RunCard
from faultline.files import atomic_write
from faultline.kinds import Fold, Mode, digest_bytes
from faultline.records import canonical_bytes

FORM = 1
"""Raised when this module draws the same specification in another way, so that no old drawing is taken from the cache."""
MOST_MARKS = 400
"""Beyond this many marks a chart of single trials is left out: it would be heavier than it is useful."""

INK, QUIET = "currentColor", "var(--fl-ink-2, #6b7280)"
OK, BAD, WARN, NEUTRAL = (
    "var(--fl-ok, #1b6b45)",
    "var(--fl-accent, #b5391f)",
    "var(--fl-warn, #8a5a00)",
    "var(--fl-info, #2a5a8a)",
)
_FOLD_COLOUR = {Fold.PASSED: OK, Fold.FAILED: BAD, Fold.INVALID_SUBMISSION: BAD, Fold.INVALID_INFRA: WARN}
_MODE_COLOUR = {
    Mode.REPAIRED: OK,
    Mode.INFRASTRUCTURE: WARN,
    Mode.VERIFIER_ERROR: WARN,
    Mode.UNKNOWN: WARN,
    Mode.SCORED: NEUTRAL,
}
_WIDTH, _ROW = 480, 42
_LARGEST = 1.2
"""How far a drawing may grow on a wide page; on a phone it shrinks to the page, and its text can still be read."""

_cache: ContextVar[Path | None] = ContextVar("charts", default=None)


@contextmanager
def cached_in(folder: Path | None) -> Iterator[None]:
    """Keep drawings in a folder, such as ``.cache/charts`` of a benchmark, and take them from there."""
    token = _cache.set(folder)
    try:
        yield
    finally:
        _cache.reset(token)


@dataclass(frozen=True)
class Chart:
    """A drawing with the sentence and the table that say the same."""

    title: str
    description: str
    """The caption, which is also what a reader hears who does not see it."""
    svg: Markup
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """What is drawn, as text; the first cell of a row names it."""


def outcomes_by_mode(run: RunCard) -> Chart:
    """Return how the planned trials of one run ended, as counts."""
    modes = run.counts.modes
    rows = [
        {"row": mode.value.replace("-", " "), "count": modes[mode], "colour": _MODE_COLOUR.get(mode, BAD)} for mode in modes
    ]
    return Chart(
        title="How its trials ended",
        description=f"Counts of the {run.counts.planned} planned trials of this run by what was seen in them; not a claim.",
        svg=_bars(rows, f"Planned trials of {run.run} by outcome mode"),
        columns=("What was seen", "Trials"),
        rows=tuple((str(row["row"]), str(row["count"])) for row in rows),
    )


def agent_time(run: RunCard) -> Chart | None:
    """Return how long the agent worked in each trial, or ``None`` when no time is known or there are too many to draw."""
    timed = [row for row in run.trials if isinstance(row.agent_seconds, float)]
    if not timed or len(timed) > MOST_MARKS:
        return None
    rows = [
        {
            "row": row.task,
            "seconds": row.agent_seconds,
            "colour": _FOLD_COLOUR[row.fold],
            "shape": "circle" if row.fold is Fold.PASSED else "diamond",
        }
        for row in timed
    ]
    return Chart(
        title="How long the agent worked",
        description=(
            f"One mark for each of {len(timed)} trials of this run with a known time, by task; "
            "a disc passed, a diamond did not. The axis is in seconds."
        ),
        svg=_strips(rows, f"Agent seconds of each trial of {run.run} by task"),
        columns=("Trial", "Seconds", "Ended as"),
        rows=tuple((row.anchor, f"{row.agent_seconds:.3f}", row.fold.value) for row in timed),
    )


def as_expected(run: RunCard) -> Chart | None:
    """Return how many trials of each task's controls ended as they must, for a validity run."""
    if not run.validity:
        return None
    rows = [
        {
            "row": item.task,
            "count": item.as_expected,
            "planned": item.planned,
            "label": f"{item.as_expected} of {item.planned}",
            "colour": OK if item.holds else BAD,
        }
        for item in run.validity
    ]
    return Chart(
        title="Controls that ended as they must",
        description="Trials of the controls of each task that ended as expected, reason code included, of those planned.",
        svg=_bars(rows, f"Trials as expected by task in {run.run}"),
        columns=("Task", "As expected", "Planned", "Flips"),
        rows=tuple((item.task, str(item.as_expected), str(item.planned), str(item.flips)) for item in run.validity),
    )


def grading_by_task(run: RunCard) -> Chart | None:
    """Return how long grading took by task over a validity run."""
    return spreads(
        [(item.task, item.grading_seconds) for item in run.validity if isinstance(item.grading_seconds, Distribution)],
        "How long grading took",
        "Grading time of one trial, by task",
        "Task",
    )


def spreads(items: Sequence[tuple[str, Distribution]], title: str, what: str, first: str) -> Chart | None:
    """Return distributions of seconds one below the other, or ``None`` when there is none."""
    if not items:
        return None
    rows = [
        {
            "row": name,
            "low": of.minimum,
            "median": of.median,
            "p90": of.p90,
            "high": of.maximum,
            "label": f"median {of.median:.2f} s",
        }
        for name, of in items
    ]
    return Chart(
        title=title,
        description=f"{what}: line from shortest to longest, bar from median to ninth decile, disc at the median. In seconds.",
        svg=_spreads(rows, what),
        columns=(first, "Known", "Unknown", "Shortest", "Median", "Ninth decile", "Longest"),
        rows=tuple(
            (
                name,
                str(of.known),
                str(of.unknown),
                *(f"{value:.3f}" for value in (of.minimum, of.median, of.p90, of.maximum)),
            )
            for name, of in items
        ),
    )


# --- drawing ------------------------------------------------------------------------------------------------------------------


def _bars(rows: list[dict[str, Any]], description: str) -> Markup:
    """Draw one bar a row below its name and number; a pale track to the planned number when there is one."""
    import altair as alt  # noqa: PLC0415  (half a second, and only needed to draw)

    most = max(row.get("planned", row["count"]) for row in rows)
    scale = alt.Scale(domain=[0, max(most, 1)], nice=False)
    base = _base()
    bar = {"height": 9, "yOffset": 8}
    layers = [
        *_names(base, "label:N" if "label" in rows[0] else "count:Q"),
        base.mark_bar(**bar).encode(x=alt.X("count:Q", scale=scale, axis=None), color=alt.Color("colour:N", scale=None)),
    ]
    if "planned" in rows[0]:
        track = base.mark_bar(color="var(--fl-line, #d9d4c7)", **bar).encode(x=alt.X("planned:Q", scale=scale, axis=None))
        layers.insert(0, track)
    return draw(alt.layer(*layers).properties(**_size(len(rows))), rows, description)


def _strips(rows: list[dict[str, Any]], description: str) -> Markup:
    """Draw one mark a trial on a line below the name of its task."""
    import altair as alt  # noqa: PLC0415  (as above)

    base = _base()
    first = {row["row"]: row for row in reversed(rows)}
    layers = [
        *_names(base.transform_filter("datum.first"), None),
        base.mark_point(filled=True, size=62, opacity=0.62, yOffset=8).encode(
            x=_seconds("seconds:Q"),
            color=alt.Color("colour:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        ),
    ]
    marked = [row | {"first": first[row["row"]] is row} for row in rows]
    return draw(alt.layer(*layers).properties(**_size(len(first))), marked, description)


def _spreads(rows: list[dict[str, Any]], description: str) -> Markup:
    """Draw five numbers a row below its name: a thin line, a thick one, a disc, and the median in words."""
    base = _base()
    x = _seconds("low:Q")
    layers = [
        *_names(base, "label:N"),
        base.mark_rule(color=QUIET, yOffset=8).encode(x=x, x2="high:Q"),
        base.mark_tick(color=QUIET, height=9, thickness=1, yOffset=8).encode(x="high:Q"),
        base.mark_bar(height=7, color=NEUTRAL, opacity=0.45, yOffset=8).encode(x="median:Q", x2="p90:Q"),
        base.mark_point(filled=True, size=80, color=NEUTRAL, opacity=1, yOffset=8).encode(x="median:Q"),
    ]
    import altair as alt  # noqa: PLC0415  (as above)

    return draw(alt.layer(*layers).properties(**_size(len(rows))), rows, description)


def scatter(rows: list[dict[str, Any]], description: str) -> Markup:
    """Draw points with lines for their intervals both ways, names beside them, and a step through the members of a frontier.

    A row has ``name``, ``x``, ``y``, ``y_low``, ``y_high``, ``member``; without ``x_low`` and ``x_high`` no line goes along x.
    """
    import altair as alt  # noqa: PLC0415  (as above)

    base = alt.Chart(alt.NamedData("rows"))
    x = alt.X("x:Q", title="dollars a trial", scale=alt.Scale(zero=True, nice=True))
    y = alt.Y(
        "y:Q",
        title="pass@1, %",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(titleAngle=0, titleAnchor="start", titleAlign="left", titleX=0, titleY=-12),
    )
    members = base.transform_filter("datum.member")
    rest = base.transform_filter("!datum.member")
    layers = [
        base.mark_rule(color=QUIET).encode(x=x, y=alt.Y("y_low:Q", scale=alt.Scale(domain=[0, 100])), y2="y_high:Q"),
        base.transform_filter("isValid(datum.x_low)").mark_rule(color=QUIET).encode(x="x_low:Q", x2="x_high:Q", y=y),
        members.mark_line(interpolate="step-after", color=NEUTRAL, strokeDash=[3, 3], opacity=0.8).encode(x=x, y=y),
        members.mark_point(filled=True, size=90, color=NEUTRAL, opacity=1).encode(x=x, y=y),
        rest.mark_point(filled=False, size=80, color=NEUTRAL, strokeWidth=2, opacity=1).encode(x=x, y=y),
        base.mark_text(align="left", dx=9, dy=-9, font="IBM Plex Mono, ui-monospace, monospace", fontSize=12).encode(
            x=x, y=y, text="name:N"
        ),
    ]
    return draw(alt.layer(*layers).properties(width=_WIDTH, height=300), rows, description)


def _base() -> Any:
    import altair as alt  # noqa: PLC0415  (as above)

    return alt.Chart(alt.NamedData("rows")).encode(y=alt.Y("row:N", sort=None, axis=None))


def _seconds(field: str) -> Any:
    import altair as alt  # noqa: PLC0415  (as above)

    return alt.X(field, title="seconds", scale=alt.Scale(zero=True, nice=True))


def _names(base: Any, right: str | None) -> list[Any]:
    """Return the name of a row above its marks and, at the other end of that line, its number."""
    import altair as alt  # noqa: PLC0415  (as above)

    mono = "IBM Plex Mono, ui-monospace, monospace"
    layers = [base.mark_text(align="left", dy=-8, font=mono, fontSize=12).encode(x=alt.value(0), text="row:N")]
    if right:
        layers.append(base.mark_text(align="right", dy=-8, fontWeight=600).encode(x=alt.value(_WIDTH), text=right))
    return layers


def _size(rows: int) -> dict[str, int]:
    return {"width": _WIDTH, "height": max(rows, 1) * _ROW}


_LOOK: dict[str, Any] = {
    "background": "transparent",
    "padding": 2,
    "font": "Inter, system-ui, sans-serif",
    "view": {"stroke": None},
    "text": {"color": INK, "fontSize": 13},
    "axis": {
        "domain": False,
        "ticks": False,
        "labelColor": INK,
        "titleColor": QUIET,
        "gridColor": "var(--fl-line, #d9d4c7)",
        "labelFontSize": 13,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleAnchor": "end",
        "labelPadding": 6,
        "tickCount": 5,
    },
}


def draw(chart: Any, rows: list[dict[str, Any]], description: str) -> Markup:
    """Return a chart as SVG, from the cache when there is one."""
    spec = chart.properties(description=description).configure(**_LOOK).to_dict()
    spec["datasets"] = {"rows": rows}
    spec.pop("usermeta", None)
    converter = version("vl-convert-python")
    digest = digest_bytes(canonical_bytes({"spec": spec, "converter": converter, "form": FORM}))
    name = digest.removeprefix("sha256:")
    folder = _cache.get()
    kept = folder / f"{name}.svg" if folder else None
    if kept and kept.is_file() and (drawn := kept.read_text(encoding="utf-8")).startswith("<svg"):
        return Markup(drawn)  # noqa: S704  (written below)
    import vl_convert  # noqa: PLC0415  (loads a whole script engine)

    raw = vl_convert.vegalite_to_svg(json.dumps(spec, sort_keys=True), vl_version=_schema(spec))
    svg = tidy(raw, name[:10])
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(kept, svg.encode("utf-8"))
    return Markup(svg)  # noqa: S704  (vl-convert escapes text and attributes; tests hold it to that)


def _schema(spec: dict[str, Any]) -> str:
    """Return the version of Vega-Lite that a specification was written for, as vl-convert names it."""
    found = re.search(r"/v(\d+)\.(\d+)", spec["$schema"])
    return f"{found[1]}.{found[2]}" if found else "6.1"


def tidy(svg: str, name: str) -> str:
    """Return an SVG that scales with its place, with ids of its own."""
    named = re.sub(r'(\bid="|url\(#|href="#)([A-Za-z_][\w-]*)', rf"\1c{name}-\2", svg)
    found = re.match(r'<svg[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"[^>]*>', named)
    if not found:
        return named
    head = re.sub(r'\s(width|height|style|class)="[^"]*"', "", found[0])
    # The drawing is decoration to a screen reader: its figure carries the description.
    head = head.replace(
        "<svg", f'<svg class="fl-chart" aria-hidden="true" style="max-width:{float(found[1]) * _LARGEST:.0f}px"', 1
    )
    return head + named[found.end() :]
