"""The plugin inside MkDocs: what it adds, what it leaves alone, and what it takes from the theme."""

import os
from datetime import UTC, datetime

import pytest
from mkdocs.config import load_config
from site_helpers import benchmark_folder

from faultline.records import not_run
from faultline.site import plugin
from faultline.site.markup import fill, headings, mend, source_of


@pytest.fixture
def config(tmp_path, monkeypatch, small_card):
    monkeypatch.setattr(plugin, "load_card", lambda _: small_card)
    return load_config(str(benchmark_folder(tmp_path / "benchmark") / "mkdocs.yml"))


class TestSettings:
    def test_nothing_comes_from_a_public_server(self, config):
        """
        Fonts are off, the worker shim is the vendored one, and the notice of the generator is off.
        """
        done = config.plugins.on_config(config)

        assert done.theme["font"] is False
        assert ["assets/faultline/vendor/iframe-worker.js"] == done.extra["polyfills"]
        assert done.extra["generator"] is False
        config.plugins["faultline"].on_post_build(config=done)

    @pytest.mark.parametrize(
        ("as_of", "seconds"),
        [(datetime(2026, 3, 1, tzinfo=UTC), "1772323200"), (not_run("no run has been sealed"), plugin.BEFORE_ANY_RUN)],
    )
    def test_the_site_is_dated_by_its_newest_record(self, config, small_card, monkeypatch, as_of, seconds):
        """
        The build's date is that of the newest sealed run, or a fixed day, and it is taken back afterwards.
        """
        monkeypatch.delenv(plugin.EPOCH, raising=False)
        monkeypatch.setattr(plugin, "load_card", lambda _: small_card.model_copy(update={"as_of": as_of}))

        config.plugins.on_config(config)

        assert seconds == os.environ[plugin.EPOCH]
        config.plugins["faultline"].on_build_error(error=ValueError())
        assert plugin.EPOCH not in os.environ

    def test_a_date_that_is_set_stays(self, config, monkeypatch):
        """
        Who sets SOURCE_DATE_EPOCH is obeyed.
        """
        monkeypatch.setenv(plugin.EPOCH, "1700000000")

        config.plugins.on_config(config)
        config.plugins["faultline"].on_post_build(config=config)

        assert "1700000000" == os.environ[plugin.EPOCH]

    def test_pages_need_a_card(self):
        """
        Asked for pages before its settings, the plugin refuses instead of building an empty site.
        """
        with pytest.raises(plugin.PluginError, match="before its settings"):
            _ = plugin.FaultlinePlugin().shell


class TestServing:
    def test_tasks_and_runs_are_watched(self, config):
        """
        While MkDocs serves, a change of a task or a run builds again; a folder that is not there is no mistake.
        """

        class Server:
            watched = ()

            def watch(self, path):
                self.watched = (*self.watched, os.path.basename(path))  # noqa: PTH119

        root = os.path.dirname(config.config_file_path)  # noqa: PTH120
        os.mkdir(os.path.join(root, "tasks"))  # noqa: PTH102, PTH118

        server = config.plugins["faultline"].on_serve(Server(), config=config, builder=lambda: None)

        assert ("tasks",) == server.watched


class TestMarkup:
    def test_the_placeholder_is_filled_once_and_as_it_is(self):
        """
        A body goes in as it is, back-references and dollars included.
        """
        assert "a \\1 \\g<0> $1 b" == fill(f"a {source_of('for search').strip()} b", "\\1 \\g<0> $1")

    def test_a_page_without_placeholder_keeps_its_words(self):
        """
        Prose that forgot its placeholder is followed by the body instead of losing it.
        """
        assert "prose\nbody" == fill("prose", "body")

    def test_what_search_sees_is_escaped(self):
        """
        A summary cannot end the placeholder, and is one line.
        """
        assert '<div data-faultline="body">&lt;/div&gt; x</div>\n' == source_of("</div>\n x")

    def test_headings_are_text(self):
        """
        The table of contents has escaped text, its ids, and the short title where one is asked for.
        """
        found = headings('<h2 id="a">A <code>&lt;b&gt;</code></h2><h3 data-short="C &amp; D" id="c">long</h3><h2>no id</h2>')

        assert [(2, "a", "A &lt;b&gt;"), (3, "c", "C &amp; D")] == [(item.level, item.id, item.title) for item in found]

    def test_the_search_dialogue_gets_a_name(self):
        """
        The theme's dialogue without a name is given one.
        """
        assert 'role="dialog" aria-label="Search"' in mend('<div data-md-component="search" role="dialog">')
