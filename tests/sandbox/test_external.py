"""Sandboxes of installed packages: whatever they call themselves, records and gates know them as external."""

import sys

import pytest

from faultline.errors import BadInputError, RefusedError, UnfitHostError
from faultline.kinds import SandboxLevel
from faultline.sandbox import SANDBOXES, open_sandbox, sandbox_named
from faultline.sandbox.process import Process

CODE = """
from faultline.kinds import SandboxLevel
from faultline.sandbox.process import Process

class Jail(Process):
    level = SandboxLevel.EXTERNAL
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Lay a package that brings a sandbox as an installer leaves it; return how to do so."""

    def lay(code=CODE, name="jail"):
        (tmp_path / "jail_package.py").write_text(code)
        info = tmp_path / "jail_package-0.3.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: jail-package\nVersion: 0.3\n")
        (info / "entry_points.txt").write_text(f"[faultline.sandboxes]\n{name} = jail_package:Jail\n")
        (info / "RECORD").write_text("jail_package.py,,\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        sys.modules.pop("jail_package", None)

    yield lay
    sys.modules.pop("jail_package", None)


def test_it_is_chosen_by_its_name_and_pinned_by_its_package(installed):
    """
    Its level is external, and whose it is stands beside.
    """
    installed()
    level, pin = sandbox_named("jail")

    assert (SandboxLevel.EXTERNAL, False) == (level, level.fit)
    assert ("jail", "jail-package", "0.3", ["jail_package.py"]) == (pin.name, pin.distribution, pin.version, list(pin.files))
    assert isinstance(open_sandbox(level, pin), Process)


@pytest.mark.parametrize("name", SANDBOXES.built_in)
def test_those_of_this_release_are_no_package_s(name):
    """
    Their level is their name, as in records from before.
    """
    assert (SandboxLevel(name), None) == sandbox_named(name)


@pytest.mark.parametrize("level", ["BUBBLEWRAP", "CONTAINER", "PROCESS"])
def test_it_cannot_call_itself_one_of_ours(installed, level):
    """
    A class that claims a level of this release is refused, also one that inherits it.
    """
    for code in (CODE.replace("EXTERNAL", level), CODE.replace("level = SandboxLevel.EXTERNAL", "pass")):
        installed(code)
        with pytest.raises(RefusedError, match=r"cannot have a level of this release; expected level = SandboxLevel\.EXTERNAL"):
            sandbox_named("jail")


@pytest.mark.parametrize("name", SANDBOXES.built_in)
def test_it_cannot_take_the_name_of_one_of_ours(installed, name):
    """
    A name that is taken is refused, so that nobody gets it in the place of what was asked for.
    """
    installed(name=name)

    with pytest.raises(RefusedError, match="two packages"):
        sandbox_named(name)


@pytest.mark.parametrize("more", ["", "    alone, promises, gaps = 1, 5, 'none'\n"])
def test_one_that_does_not_say_what_it_promises_is_refused(installed, more):
    """
    ``doctor`` has nothing to print for it.
    """
    installed(
        "from faultline.kinds import SandboxLevel\nfrom faultline.sandbox import Sandbox\n\n\n"
        "class Jail(Sandbox):\n    level = SandboxLevel.EXTERNAL\n" + more
    )

    with pytest.raises(
        BadInputError, match="does not say what it promises; expected alone: bool, promises: tuple, gaps: tuple"
    ):
        sandbox_named("jail")


def test_it_is_opened_only_as_the_manifest_describes_it(installed):
    """
    Another form of the package would be another sandbox.
    """
    installed()
    level, pin = sandbox_named("jail")
    installed(CODE + "\n# another form\n")

    with pytest.raises(RefusedError, match="not the one that the manifest describes"):
        open_sandbox(level, pin)


@pytest.mark.parametrize(
    ("body", "why"), [("return 'no key'", "no key"), ("raise ValueError('oh')", "jail raised ValueError: oh")]
)
def test_one_that_this_host_cannot_provide_is_refused(installed, body, why):
    """
    A weaker one is never put in its place; one that cannot even tell is unfit.
    """
    installed(CODE + f"\n    def unfit_because(self):\n        {body}\n")

    with pytest.raises(UnfitHostError, match=f"sandbox jail: .*{why}"):
        open_sandbox(*sandbox_named("jail"))


def test_the_level_alone_opens_nothing(installed):
    """
    A record that says external and not whose is no way to a sandbox.
    """
    installed()

    with pytest.raises(UnfitHostError, match="no such sandbox"):
        open_sandbox(SandboxLevel.EXTERNAL)
