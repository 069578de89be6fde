"""Manifests: a run says whose its sandbox is exactly when it is not one of ours."""

import factories
import pytest

from faultline.errors import FaultlineError
from faultline.kinds import SandboxLevel
from faultline.records import RunManifest

TASKS = factories.small_tasks(1)


def plain(**changes):
    return factories.evaluation_run(TASKS, **changes).manifest.model_dump(mode="json", by_alias=True)


def test_a_manifest_with_a_sandbox_of_a_package_is_read_again():
    """
    Nothing of it is lost, and it is told in words.
    """
    manifest = factories.evaluation_run(TASKS, sandbox=SandboxLevel.EXTERNAL, external=factories.jail()).manifest

    assert manifest == RunManifest.parse(manifest.canonical(), "manifest.json")
    assert manifest.sandbox_words.startswith("external: jail of jail-package 1.0 (")


@pytest.mark.parametrize("level", ["bubblewrap", "container", "process"])
def test_a_package_s_sandbox_cannot_have_a_level_of_ours(level):
    """
    A record that claims both is refused.
    """
    given = plain(sandbox=SandboxLevel.EXTERNAL, external=factories.jail()) | {"sandbox": level}

    with pytest.raises(FaultlineError, match="exactly when the level is external"):
        RunManifest.from_plain(given, "manifest.json")


def test_the_level_external_needs_a_name():
    """
    A record that does not say whose sandbox it was is refused.
    """
    with pytest.raises(FaultlineError, match="exactly when the level is external"):
        RunManifest.from_plain(plain() | {"sandbox": "external"}, "manifest.json")


def test_a_manifest_without_one_is_what_it_was():
    """
    The field stands in no record that does not need it, so that sealed runs keep their bytes.
    """
    assert "external" not in plain()
