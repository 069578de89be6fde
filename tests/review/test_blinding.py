"""Names are taken out of what readers see, and what is left is found."""

import factories
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.kinds import AgentKind
from faultline.records import not_applicable
from faultline.review import KNOWN_NAMES, Shown, hidden_names, leaks, leaks_of, material_of, redact

HOME = "/home"
"""Joined to account names here, so that no scanner takes this file for a leak."""

NAMES = ("tinker", "made-up-model-1", "Nobody Inc")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("As tinker, I split by row", "As ⟦name⟧, I split by row"),
        ("TINKER_fix = 1", "⟦name⟧_fix = 1"),
        ("# by Made Up Model 1.", "# by ⟦name⟧."),
        ("made_up_model_1", "⟦name⟧"),
        ("nobody-inc wrote it", "⟦name⟧ wrote it"),
        ("claude 4.5 and gpt-5", "⟦name⟧ and ⟦name⟧"),
        ("GPT4o", "⟦name⟧"),
        (f"see {HOME}/ada/project/x.py:3", "see ⟦path⟧:3"),
        ("open('/tmp/x')", "open('⟦path⟧')"),
        ("C:\\Users\\ada\\x.py", "⟦path⟧"),
        ("ask ada@home.org", "ask ⟦address⟧"),
        ("x = 1  # Co-Authored-By: Somebody <a@b.org>", "x = 1  # ⟦signature⟧"),
        ("t\u200bink\u00adder", "tinkder"),
        ("\uff54inker", "⟦name⟧"),
    ],
)
def test_what_names_somebody_is_replaced(text, left):
    """
    Names however they are joined, with their versions, paths, addresses and signing lines become a word in double brackets.
    """
    assert left == redact(text, NAMES)


def test_the_owner_of_a_home_is_taken_out_everywhere():
    """
    A person whose home stands in a text is not named elsewhere in it either.
    """
    assert "⟦path⟧\n# thanks, ⟦name⟧" == redact(f"{HOME}/adalovelace/x\n# thanks, AdaLovelace", ())


@pytest.mark.parametrize(
    "text",
    [
        "cursor = connection.cursor()",
        "total = order / price",
        "a/b/c and src/data/x.py",
        "variable = tinkering(total)",
        "from pkg.split import split",
        "route = '/variable'",
        "@property",
        "r = re.compile(r'\\d+')",
        "glm = fit(x)",
    ],
)
def test_ordinary_code_stays_as_it_is(text):
    """
    Code that names nobody is neither changed nor refused.
    """
    assert (text, ()) == (redact(text, NAMES), leaks(text, NAMES))


@pytest.mark.parametrize(
    "text",
    [
        "t.i.n.k.e.r",
        "t i n k e r",
        "TinkerFix",
        "MadeUpModel1",
        "xmadeupmodel1x",
        "anthropicAPI",
        "c l a u d e",
        "x@y.org",
        "/root" + "/x",
        "~/x",
    ],
)
def test_the_scan_finds_names_in_disguise(text):
    """
    Spelled out, glued together or inside an identifier, a name is found, and only the line is told.
    """
    assert (2,) == leaks(f"one\n{text}\nthree", NAMES)


@given(text=st.text(max_size=300))
def test_redacting_twice_is_redacting_once(text):
    """
    What was taken out leaves nothing to take out.
    """
    once = redact(text, NAMES)

    assert once == redact(once, NAMES)


@given(
    before=st.text(alphabet=" .,#\n", max_size=5),
    name=st.sampled_from((*NAMES, *KNOWN_NAMES)),
    join=st.sampled_from(["-", "_", " ", "", "."]),
    upper=st.booleans(),
)
def test_no_known_name_survives(before, name, join, upper):
    """
    Whatever joins the parts of a name and however it is written, redaction leaves nothing that the scan finds.
    """
    written = name.replace("-", join).replace(" ", join).replace(".", join)
    text = f"{before} {written.upper() if upper else written} "

    assert () == leaks(redact(text, NAMES), NAMES)


class TestHiddenNames:
    def test_agent_model_and_provider(self):
        """
        A run of an agent hides its name, its model and its provider.
        """
        assert ("Nobody Inc", "made-up-model", "made-up-model-1", "tinker") == hidden_names(
            factories.evaluation_run([factories.task()]).manifest
        )

    def test_a_model_is_known_without_vendor_and_version_too(self):
        """
        People write a model's name without the vendor before it and the version behind it.
        """
        who = factories.agent("mender", model="acme/super-coder-7b-instruct", provider="Acme")
        found = hidden_names(factories.evaluation_run([factories.task()], who=who).manifest)

        assert {"Acme", "acme/super-coder-7b-instruct", "super-coder-7b-instruct", "super-coder"} <= set(found)
        assert "# ⟦name⟧ did this for ⟦name⟧" == redact("# Super Coder did this for ACME", found)

    def test_a_control_is_no_name_unless_it_gives_itself_away(self):
        """
        Words like reference stand in ordinary text; names like wrong-half tell the verdict.
        """
        found = hidden_names(factories.validity_run([factories.task()]).manifest)

        assert ("valid-other", "wrong-guess", "wrong-half") == found

    def test_an_agent_without_a_model_hides_its_name(self):
        """
        An absent model or the word none is no name.
        """
        who = factories.agent("mender", AgentKind.COMMAND, model="none", provider=not_applicable("no model"))

        assert ("mender",) == hidden_names(factories.evaluation_run([factories.task()], who=who).manifest)


class TestMaterial:
    SAMPLE = factories.small().rooms[0].sample

    def made(self, *, mask=False, **changes):
        fields = {
            "issue": "fix it",
            "before": {"a.py": b"one\n", "b.py": b"gone\n", "README.md": b"each counts once\n"},
            "after": {"a.py": b"two\n", "b.py": None, "c.bin": b"\xff"},
            "public": factories.passed().public,
        }
        shown = Shown(**(fields | changes))
        return material_of(self.SAMPLE, {item.item: shown for item in self.SAMPLE.items}, NAMES, mask=mask)

    def test_it_shows_what_a_reader_needs(self):
        """
        Issue, README, public tests and a diff of each changed, deleted or binary file.
        """
        item = self.made().items[0]

        assert ("fix it", "each counts once\n", 1, ()) == (item.issue, item.readme, item.public_passed, item.public_failed)
        assert {"a.py": "-one", "b.py": "the file was deleted", "c.bin": "this file is no text"} == {
            diff.path: next(line for line in diff.diff.split("\n") if not line.startswith("@@")) for diff in item.diffs
        }

    def test_nothing_else_is_in_it(self):
        """
        Neither agent, run, variant, verdict nor role is part of the material.
        """
        text = self.made().canonical().decode()

        assert [] == [
            word
            for item in self.SAMPLE.items
            for word in (item.role, item.key.agent, item.key.run, item.key.variant)
            if word in text
        ]

    @pytest.mark.parametrize(
        ("changes", "place"),
        [
            ({"issue": "a\nby TinkerFix"}, "item 1, the issue, line 2"),
            ({"after": {"TinkerFix.py": b""}}, "item 1, the name of changed file 1, line 1"),
            ({"after": {"a.py": b"x = TinkerFix\n"}}, "item 1, the diff of changed file 1, line 3"),
            ({"before": {"README.md": b"TinkerFix"}}, "item 1, the README, line 1"),
        ],
    )
    def test_a_leak_is_told_by_its_place(self, changes, place):
        """
        What is left of a name is told by item, part and line; with a mask the line is hidden whole.
        """
        first = leaks_of(self.made(**changes), NAMES)[0]

        assert place == str(first)
        assert () == leaks_of(self.made(mask=True, **changes), NAMES)

    def test_hostile_text_stays_text(self):
        """
        Control characters of a candidate are escaped before anybody sees them.
        """
        assert "\x1b" not in self.made(after={"a.py": b"\x1b[2J"}).items[0].diffs[0].diff
