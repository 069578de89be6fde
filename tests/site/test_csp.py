"""The content security policy names exactly what a page came with."""

import base64
import hashlib
import re

import pytest

from faultline.site.csp import SHIM_SCRIPT, inline_scripts, policy, source_hash, with_policy

HEAD = '<!doctype html><html><head><meta charset="utf-8"></head><body>{}</body></html>'


class TestPolicy:
    def test_inline_scripts_are_named_by_their_digest(self):
        """
        An inline script is allowed by the SHA-256 of its text, and by nothing else.
        """
        page = with_policy(HEAD.format("<script>go()</script>"))

        digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
        assert f"&#x27;sha256-{digest}&#x27;" in page
        assert "unsafe-inline" not in page.split("script-src")[1].split(";")[0]
        assert "unsafe-eval" not in page

    def test_blocks_of_data_need_no_permission(self):
        """
        JSON in a page and scripts in files of the site are not counted among inline scripts.
        """
        page = '<script type="application/json">{}</script><script src="a.js"></script><script type="application/ld+json">1</script>'

        assert [] == inline_scripts(page)

    def test_the_policy_stands_before_anything_that_loads(self):
        """
        The policy comes right after the character set.
        """
        page = with_policy(HEAD.format(""))

        assert re.search(r'<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy"', page)

    def test_a_page_without_character_set_is_refused(self):
        """
        A page that has no place for the policy is an error, never a page without one.
        """
        with pytest.raises(ValueError, match="character set"):
            with_policy("<html></html>")

    def test_same_scripts_same_policy(self):
        """
        The order of scripts and their repetition do not change the policy.
        """
        assert policy(["a", "b"]) == policy(["b", "a", "a"])


def test_every_page_has_one_that_fits(small_site):
    """
    Each page of a site, also the one for wrong addresses, carries a policy that allows its own inline scripts.
    """
    pages = sorted(small_site.rglob("*.html"))
    for path in pages:
        text = path.read_text("utf-8")
        assert 1 == text.count("Content-Security-Policy"), path.name
        declared = text.split("Content-Security-Policy")[1].split(">")[0]
        for script in inline_scripts(text):
            assert source_hash(script)[1:-1] in declared, path.name


def test_the_shim_writes_what_the_policy_names(small_site):
    """
    The text that the vendored worker shim writes into its frame is the one whose digest is in every policy.
    """
    shim = (small_site / "assets/faultline/vendor/iframe-worker.js").read_text("utf-8")
    functions = {name: re.search(rf"function {name}\([^)]*\)\{{.*?\}}(?=function|var o)", shim)[0] for name in "cd"}
    written = re.search(r"<html><body><script>(?P<text>.*?)<\\/script>", shim)["text"]

    assert SHIM_SCRIPT == written.replace("${c}", functions["c"]).replace("${d}", functions["d"])
