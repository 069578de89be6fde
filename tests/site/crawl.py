"""Read every byte of a built site for anything that compares agents: what no file may say while there is no ranking.

The crawler knows from the records what a leak would look like: rates, intervals and means of each agent that is no control,
in the usual spellings, and its counts. It also knows forms that are a comparison whatever they hold: a table with a row for
each agent, data with an entry for each, a drawing that names two. A single trial is a record and may stand anywhere.
"""

import csv
import gzip
import io
import json
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from site_helpers import Html

from faultline.archive import Benchmark
from faultline.card.build_money import cost_of_row
from faultline.card.standing import outcomes_of
from faultline.gates import gather
from faultline.records import Absent
from faultline.site.downloads import Download
from faultline.statistics import missing_outcome_bounds

TEXT = (".html", ".xml", ".json", ".csv", ".svg", ".js", ".txt", ".md", ".webmanifest", ".map", ".css", ".jsonl")
"""Kinds of files that are read as text; a file of another kind, outside the package's own assets, is a finding."""
KEYS = frozenset(
    {
        "pass_at_1", "as_passes", "rank", "rank_low", "rank_high", "ranks", "ties", "p_holm", "frontier", "pairs", "of_pass",
        "per_trial", "pass_rate", "win_rate", "score", "elo", "order_note", "dominated_by", "not_separated_from",
    }
)  # fmt: skip
"""Names of data that only a ranking has."""
CLAIM = re.compile(
    r"\b(?:rank(?:s|ed)? (?:\d|first|second|last)|\d+(?:st|nd|rd|th) (?:place|of)|best|better than|worse than|beats|"
    r"outperforms?|ahead of|winner|leads|cheaper than|dearer than|faster than|slower than)\b",
    re.IGNORECASE,
)
NEAR = 60
ENTRY = frozenset({"trial", "anchor"})
"""An entry with one of these is a single trial."""
RUN_COLUMNS = frozenset(
    {
        "run", "kind", "controls_only", "agents", "planned_at", "sealed_at", "tasks", "variants", "trials_per_cell", "planned",
        "retry", "max_attempts", "estimand", "sandbox", "synthetic", "conflicts", "seal_digest",
    }
)  # fmt: skip
"""What a table may say of a run of an agent: its plan, and nothing of how it went."""


class Leak(NamedTuple):
    """Something that compares agents, or a file that cannot be read."""

    file: str
    what: str


@dataclass(frozen=True)
class Agent:
    """What the records say of an agent that is no control."""

    name: str
    runs: frozenset[str]
    spellings: frozenset[str]
    """Of its rates, bounds, interval ends and mean costs."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of its trials ended in each way."""


def agents_of(benchmark: Benchmark) -> tuple[Agent, ...]:
    """Return what no file may say of the agents of a benchmark."""
    facts = gather(benchmark)
    runs = [run for run in facts.runs if run.makes_claims]
    names = sorted({name for run in runs for name, agent in run.agents.items() if not agent.kind.is_control})
    found = []
    for name in names:
        own = [run for run in runs if name in run.agents]
        pins = {pin.id: pin.family for run in own for pin in run.manifest.tasks}
        outcomes = outcomes_of(own, name, list(pins))
        rate = missing_outcome_bounds(outcomes.rows, list(pins.values()))
        trials = {task: [t for run in own for t in run.by_task.get(task, ()) if t.key.agent == name] for task in pins}
        passed, planned = sum(row.passes for row in outcomes.rows), sum(row.planned for row in outcomes.rows)
        values = [rate.lower, rate.excluded, rate.upper, passed / planned, 1 - passed / planned]
        for interval in (rate.interval, rate.sampling.interval):
            values += [interval.low, interval.high] if interval else []
        shares = {task: row.passes / row.planned for task, row in zip(pins, outcomes.rows, strict=True)}
        cost = cost_of_row(trials, pins, shares)
        amounts = [amount.usd for amount in (cost.per_trial, cost.of_pass) if not isinstance(amount, Absent)]
        folds = Counter(trial.outcome.fold.value for items in trials.values() for trial in items)
        spellings = {text for value in values if value is not None for text in spellings_of(value)}
        spellings |= {text for value in amounts for text in (f"{value:.5f}", repr(value)) if distinct(text)}
        found.append(Agent(name, frozenset(run.name for run in own), frozenset(spellings), dict(folds)))
    return tuple(found)


def spellings_of(share: float) -> set[str]:
    """Return how a share is usually written; spellings of few digits, which other numbers share, are left out."""
    percent = 100 * share
    texts = {repr(share), f"{share:.4f}", f"{share:.5f}", f"{percent:.2f}", f"{percent:.1f} %", f"{percent:.1f}%"}
    texts |= {f"{percent:.1f}\u00a0%", f"{percent:.1f}&nbsp;%", f"{percent:.1f} percent", f"{percent:.1f} points"}
    return {text for text in texts if distinct(text)}


def distinct(text: str) -> bool:
    """Return whether a number is unlikely to stand somewhere by chance."""
    digits = re.sub(r"[^0-9]", "", text).strip("0")
    return len(digits) >= 3


def leaks(files: Mapping[str, bytes], agents: tuple[Agent, ...], own: Mapping[str, bytes]) -> list[Leak]:
    """Return everything in some files that compares agents.

    ``own`` has the files that are the package's (assets, schemas) by path: one that is as the package has it is not read.
    """
    found: list[Leak] = []
    for name, data in unpacked(files):
        if own.get(name) == data:
            continue
        if not name.endswith(TEXT):
            found.append(Leak(name, "a kind of file that this crawler cannot read"))
            continue
        text = data.decode("utf-8", "replace")
        found += [Leak(name, what) for what in sorted(set(_in_text(name, text, agents)))]
    return found


def unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield every file, those inside archives under ``archive!/name``; what is compressed is read decompressed."""
    for name, data in files.items():
        if name.endswith((".zip", ".whl")):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                inside = {f"{name}!/{item}": archive.read(item) for item in archive.namelist() if not item.endswith("/")}
            yield from unpacked(inside)
        elif name.endswith((".tar", ".tar.gz", ".tgz")):
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                members = [item for item in archive.getmembers() if item.isfile()]
                inside = {f"{name}!/{item.name}": archive.extractfile(item).read() for item in members}
            yield from unpacked(inside)
        elif name.endswith(".gz"):
            yield from unpacked({name.removesuffix(".gz"): gzip.decompress(data)})
        else:
            yield name, data


def _in_text(name: str, text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    numbers = set(re.findall(r"\d+(?:\.\d+)?", text))
    for agent in agents:
        for spelling in agent.spellings:
            digits = re.match(r"[\d.]+", spelling)[0]
            if digits in numbers and re.search(rf"(?<![\w.]){re.escape(spelling)}(?![\w.]*\d)", text):
                yield f"{spelling} is a number of {agent.name}"
    yield from _counts(name, text, agents)
    yield from _claims(text, agents)
    if name.endswith(".html"):
        yield from _in_page(text, agents)
    elif name.endswith((".json", ".webmanifest", ".map")):
        yield from _in_data(json.loads(text), agents)
    elif name.endswith(".jsonl"):
        for line in text.splitlines():
            yield from _in_data(json.loads(line), agents)
    elif name.endswith(".csv"):
        yield from _in_table(text, agents)
    elif name.endswith(".svg"):
        yield from _in_drawing(text, agents)
    elif name.endswith(".js"):
        for block in re.findall(r"[\[{].*[\]}]", text, re.DOTALL):
            try:
                plain = json.loads(block)
            except json.JSONDecodeError:
                continue
            yield from _in_data(plain, agents)


def _counts(name: str, text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    """Yield ways to end whose counts stand for two agents in one file; only counts that no index looks like are told apart."""
    plain = Html(text.replace("\u202f", "")).words if name.endswith(".html") else text
    standing = Counter(re.findall(r"(?<![\w.:#-])\d+(?![\w.:-]*\w)", plain))
    for way in sorted({way for agent in agents for way in agent.counts}):
        told = [agent.name for agent in agents if (count := agent.counts.get(way, 0)) > 140 and standing[str(count)]]
        if len(told) > 1:
            yield f"counts of {way} of {' and '.join(told)}"


def _claims(text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    """Yield words that put an agent before or behind something, next to its name."""
    for agent in agents:
        for found in re.finditer(rf"(?<![\w-]){re.escape(agent.name)}(?![\w-])", text):
            around = text[max(0, found.start() - NEAR) : found.end() + NEAR]
            around = re.sub(r"<[^>]*>", " ", around)
            if claim := CLAIM.search(around):
                yield f"{claim[0]!r} next to {agent.name}"


def _in_page(text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    """Yield tables with a row or a column for each of two agents, drawings that name two, and data inside the page."""
    for block in re.findall(r"<table.*?</table>", text, re.DOTALL):
        heads = [" ".join(Html(head).words.split()) for head in re.findall(r"<th[^>]*>.*?</th>", block, re.DOTALL)]
        named = _named(heads, agents)
        if len(named) > 1:
            yield f"a table with {' and '.join(named)} as its heads"
    for block in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        yield from _in_drawing(block, agents)
    for block in re.findall(r"<script[^>]*type=\"application/(?:ld\+)?json\"[^>]*>(.*?)</script>", text, re.DOTALL):
        yield from _in_data(json.loads(block), agents)


def _in_drawing(text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    words = " ".join(re.findall(r">([^<]+)<", text)) + " ".join(re.findall(r"(?:aria-label|title)=\"([^\"]*)\"", text))
    named = [agent.name for agent in agents if re.search(rf"(?<![\w-]){re.escape(agent.name)}(?![\w-])", words)]
    if len(named) > 1:
        yield f"a drawing that names {' and '.join(named)}"


def _in_data(plain: Any, agents: tuple[Agent, ...]) -> Iterator[str]:
    """Yield keys that only a ranking has, and entries for each of two agents that are no single trials."""
    if isinstance(plain, dict):
        for key, value in plain.items():
            # A word under such a key may be a parameter of a task; a number, a list or an entry is a result.
            if str(key) in KEYS and (_measured(value) or (value and isinstance(value, dict | list))):
                yield f"the key {key}"
            # What the judge measured in one trial has names of the task's own.
            if key != "measured":
                yield from _in_data(value, agents)
        named = _named([str(key) for key, value in plain.items() if _measured(value)], agents)
        if len(named) > 1:
            yield f"an entry for each of {' and '.join(named)}"
    elif isinstance(plain, list):
        entries = [item for item in plain if isinstance(item, dict) and not ENTRY & set(item)]
        # The plan of a run names its agents; that it has numbers is what makes an entry a result.
        heads = [str(item.get(key)) for item in entries if _measured(item) for key in ("agent", "name", "label", "system")]
        named = _named(heads, agents)
        if len(named) > 1:
            yield f"an entry for each of {' and '.join(named)}"
        for item in plain:
            yield from _in_data(item, agents)


def _measured(value: Any) -> bool:
    """Return whether a value is a number or holds one."""
    if isinstance(value, bool):
        return False
    if isinstance(value, dict):
        return any(_measured(item) for item in value.values())
    if isinstance(value, list):
        return any(_measured(item) for item in value)
    return isinstance(value, int | float)


def _in_table(text: str, agents: tuple[Agent, ...]) -> Iterator[str]:
    """Yield columns that say how two agents went, in a table that is no list of single trials."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or "trial" in rows[0]:
        return
    yield from (f"the column {name}" for name in rows[0] if name in KEYS)
    own = [row for row in rows if _named([row.get("agent") or row.get("agents") or ""], agents)]
    named = _named([row.get("agent") or row.get("agents") or "" for row in own], agents)
    if len(named) > 1:
        for name in rows[0]:
            if name not in RUN_COLUMNS and any(re.fullmatch(r"[\d.]+", row[name] or "") for row in own):
                yield f"the column {name} for {' and '.join(named)}"


def _named(heads: list[str], agents: tuple[Agent, ...]) -> list[str]:
    """Return the agents that a list of heads names, each as a whole head or as one of a few words of it."""
    return [agent.name for agent in agents if any(agent.name == head or agent.name in head.split() for head in heads)]


def own_files(downloads: tuple[Download, ...], assets: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what a site has from the package: assets, and schemas, which name fields and hold no data."""
    return dict(assets) | {item.path: item.content for item in downloads if item.path.startswith("schemas/")}


__all__ = ["Agent", "Leak", "agents_of", "leaks", "own_files", "unpacked"]
