"""The whole withheld output, read for anything that compares agents; and the reader itself, held against planted leaks."""

import gzip
import io
import json
import shutil
import zipfile
from functools import cache
from pathlib import Path

import factories
import material
import pytest
from crawl import agents_of, leaks, own_files
from site_helpers import REPOSITORY, built_once, tree_of

from faultline.archive import load_benchmark
from faultline.card.build import assemble
from faultline.gates import GATES, Evaluation, gate_policy, gather
from faultline.gates.evaluator import decide
from faultline.site.build import build_site
from faultline.site.downloads import downloads
from faultline.site.shell import Shell

PASSED = {"anvil": 187, "birch": 149, "cedar": 203}
"""Passed trials of each agent; trials of a cell are numbered below all of them, so that no index looks like them."""
TRIALS = 131


def ending(passes):
    """Return an ending that passes exactly some number of its trials, spread over them."""
    seen = iter(range(2 * TRIALS))
    return lambda _: factories.passed() if next(seen) * passes % (2 * TRIALS) < passes else factories.failed()


@cache
def several():
    """Return a benchmark with an evaluation of each of three agents, no rate or count of which looks like anything else."""
    tasks = factories.small_tasks()
    runs = [factories.validity_run(tasks)]
    for place, (name, passes) in enumerate(PASSED.items()):
        who = factories.agent(name)
        runs.append(
            factories.evaluation_run(
                tasks, f"evaluation-{place}", who, ending(passes), variants=1, trials=TRIALS, hours=2.0 + place
            )
        )
    return factories.benchmark(tasks, runs)


def but_for(benchmark, gate):
    """Return the card of a benchmark in which every gate holds but one."""
    facts = gather(benchmark)
    policy = gate_policy()
    answers = [item.answer(facts, policy, publishing=False) for item in GATES]
    results = [
        answer.model_copy(update={"outcome": "fail" if answer.id == gate else "pass", "lacking": answer.lacking})
        for answer in answers
    ]
    report = decide(results, policy)
    assert [gate] == [item.id for item in report.gates if not item.holds]
    return assemble(benchmark, Evaluation(report=report, evidence=facts.digest, publishing=True, gate_pass=None))


def theme_files():
    """Return the files that a built site has from the theme and from the package, by their path in the site."""
    found = {}
    for folder, at in (
        (Path(material.__file__).parent / "templates" / "assets", "assets"),
        (REPOSITORY / "faultline" / "site" / "assets", "assets/faultline"),
    ):
        found |= {
            f"{at}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
    return found


def found_in(site, card, benchmark):
    return leaks(tree_of(site), agents_of(benchmark), own_files(downloads(card), theme_files()))


class TestWithheld:
    def test_a_site_of_several_agents_compares_none(self, tmp_path_factory):
        """
        With one gate failing, no page, index, chart, feed, download, sitemap or metadata of the built site compares agents.
        """
        card = but_for(several(), "G1")

        assert [] == found_in(built_once(tmp_path_factory, "several", card), card, several())

    @pytest.mark.parametrize("gate", [gate.id for gate in GATES])
    def test_whichever_gate_fails(self, gate):
        """
        Pages and files are the same refusal for every gate that fails alone.
        """
        shell = Shell(but_for(several(), gate))
        files = {f"{path}.html": shell.body(page).encode() for path, page in shell.pages.items()} | shell.files

        assert [] == leaks(files, agents_of(several()), own_files(downloads(shell.card), {}))

    @pytest.mark.slow
    def test_this_repository_compares_nobody(self, tmp_path):
        """
        The site that this repository publishes says nothing comparative of the agents whose runs are sealed in it.
        """
        for name in ("tasks", "runs", "site_src"):
            shutil.copytree(REPOSITORY / name, tmp_path / name)
        for name in ("mkdocs.yml", "pyproject.toml"):
            shutil.copy(REPOSITORY / name, tmp_path / name)
        benchmark = load_benchmark(tmp_path)
        card = Shell(but_for(benchmark, "G1")).card

        site = build_site(tmp_path, tmp_path / "site", strict=True)

        assert "rule-based" in {agent.name for agent in agents_of(benchmark)}
        assert [] == found_in(site, card, benchmark)


def zipped(name, content):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, content)
    return data.getvalue()


RATE = f"{187 / 262:.4f}"
PERCENT = f"{18700 / 262:.1f} %"
PLANTED = {
    "a rate in a page": ("a.html", f"<p>anvil passes {PERCENT} of its trials</p>"),
    "a rate in an address that does not exist": ("404.html", f"<p>{RATE}</p>"),
    "a rate in a title": ("a.html", f"<title>anvil: {PERCENT}</title>"),
    "a rate in a description": ("a.html", f'<meta name="description" content="It passed {PERCENT}">'),
    "a rate in an alternative text": ("a.html", f'<img src="x.svg" alt="A bar up to {PERCENT}">'),
    "a rate in a label": ("a.html", f'<div role="img" aria-label="anvil at {RATE}"></div>'),
    "a rate in JSON-LD": ("a.html", f'<script type="application/ld+json">{{"about": "rate {RATE}"}}</script>'),
    "a key of a ranking in a page's data": ("a.html", '<script type="application/json">{"pass_at_1": 1}</script>'),
    "a rate in the search index": ("search/search_index.json", json.dumps({"docs": [{"text": f"pass rate {RATE}"}]})),
    "a rate in the card": ("data/card.json", json.dumps({"runs": [{"share": 187 / 262}]})),
    "a ranking in the card": ("data/card.json", json.dumps({"rank": 1})),
    "an entry for each agent": ("data/x.json", json.dumps([{"agent": "anvil", "n": 1}, {"agent": "birch", "n": 2}])),
    "a key for each agent": ("data/x.json", json.dumps({"mean": {"anvil": 1.5, "birch": 2.5}})),
    "the data of a chart": ("charts/x.json", json.dumps({"data": {"values": [{"name": "anvil", "y": 1}, {"name": "cedar", "y": 2}]}})),
    "a rate in a line of data": ("data/x.jsonl", json.dumps({"rate": 187 / 262})),
    "a rate in a table": ("data/x.csv", f"run,share\nevaluation-0,{187 / 262!r}\n"),
    "results of two agents in a table": ("data/runs.csv", "run,agents,tasks,passed\na,anvil,2,7\nb,birch,2,9\n"),
    "a ranking in a table": ("data/x.csv", "agent,rank\nanvil,1\n"),
    "counts of two agents in a page": ("a.html", "<p>187 passed here and 149 there</p>"),
    "counts of two agents in a file": ("data/x.json", json.dumps({"one": 187, "other": 149})),
    "a table with a row for each agent": ("a.html", "<table><tr><th>anvil</th><td>4 s</td></tr><tr><th>birch</th><td>5 s</td></tr></table>"),
    "a drawing of two agents": ("x.svg", "<svg><text>anvil</text><text>cedar</text></svg>"),
    "a drawing of two agents in a page": ("a.html", '<svg aria-label="anvil and cedar"><path d="M0 0"/></svg>'),
    "a rate in a drawing": ("badge.svg", f"<svg><title>passed {PERCENT}</title></svg>"),
    "a rate in the badge's data": ("badge.json", json.dumps({"message": f"anvil {PERCENT}"})),
    "a rate in the feed": ("audit.xml", f"<feed><entry><title>anvil now at {PERCENT}</title></entry></feed>"),
    "a claim in the feed": ("audit.xml", "<feed><entry><content>anvil outperforms birch</content></entry></feed>"),
    "a claim in a page": ("a.html", "<p>Of all agents <b>anvil</b> is the best.</p>"),
    "a rank in a page": ("a.html", "<p>birch, ranked 2</p>"),
    "a rate in the sitemap": ("sitemap.xml", f"<urlset><url><loc>anvil-{PERCENT}</loc></url></urlset>"),
    "a rate in the packed sitemap": ("sitemap.xml.gz", gzip.compress(f"<urlset><!-- {RATE} --></urlset>".encode())),
    "a rate for programs that read": ("llms.txt", f"anvil: {PERCENT}"),
    "a rate in a script": ("data/shard.js", f'faultline.rows({{"share": {RATE}}})'),
    "an entry for each agent in a script": ("data/shard.js", 'go([{"agent": "anvil", "n": 1}, {"agent": "birch", "n": 2}])'),
    "a rate in an archive": ("data/all.zip", zipped("rates.csv", f"agent,share\nanvil,{RATE}\n")),
    "a rate of its own style": ("assets/extra.css", f".bar {{ width: {PERCENT} }}"),
    "a file that cannot be read": ("data/trials.parquet", b"PAR1\x00"),
}  # fmt: skip


@pytest.fixture(scope="module")
def agents():
    return agents_of(several())


class TestTheReader:
    """A crawler that finds nothing is worth what it finds when there is something."""

    @pytest.mark.parametrize("leak", PLANTED)
    def test_a_planted_leak_is_found(self, agents, leak):
        """
        A leak in each kind of file is found, and its file is named.
        """
        name, content = PLANTED[leak]
        files = {"index.html": b"<p>nothing</p>", name: content if isinstance(content, bytes) else content.encode()}

        found = leaks(files, agents, {})

        assert found
        assert {name.removesuffix(".gz")} == {item.file.partition("!")[0] for item in found}

    def test_single_trials_are_records(self, agents):
        """
        Trials of two agents may stand in one list, and a run may count itself.
        """
        trials = [{"agent": name, "trial": 0, "usd": "0.1", "agent_seconds": 2.5} for name in PASSED]
        files = {
            "data/card.json": json.dumps({"trials": trials}).encode(),
            "data/trials.csv": b"run,agent,trial,fold,usd\na,anvil,0,passed,0.1\nb,birch,0,failed,0.2\n",
            "data/runs/evaluation-0.json": json.dumps({"agents": [{"name": "anvil"}], "passed": 187}).encode(),
        }

        assert [] == leaks(files, agents, {})

    def test_the_package_is_not_read_but_compared(self, agents):
        """
        A file of the package is passed over as long as it is byte for byte the package's.
        """
        own = {"assets/x.css": RATE.encode()}

        assert [] == leaks(own, agents, own)
        assert leaks({"assets/x.css": RATE.encode() + b" "}, agents, own)

    def test_the_ranking_itself_is_full_of_leaks(self):
        """
        An open leaderboard, read as if it were withheld, is found on its page, in its table, in the card and in the chart.
        """
        from faultline.card import rehearse_card

        benchmark = factories.ranked()
        shell = Shell(rehearse_card(benchmark))
        files = {"leaderboard.html": shell.body(shell.pages["leaderboard"]).encode()} | shell.files
        found = leaks(files, agents_of(benchmark), own_files(downloads(shell.card), {}))

        assert {"leaderboard.html", "data/leaderboard.csv", "data/card.json"} <= {item.file for item in found}
        said = " ".join(item.what for item in found if item.file == "leaderboard.html")
        assert "a table with" in said
        assert "a drawing that names" in said
