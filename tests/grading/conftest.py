"""A judged tiny task: candidates made of its files, graded in the real sandbox."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from tiny import write_task

from faultline.clock import Clock
from faultline.grading import Judge, classify, freeze
from faultline.kinds import SandboxLevel
from faultline.sandbox import open_sandbox
from faultline.tasks import apply_overlay, load_task, materialise, write_tree


@pytest.fixture(scope="session")
def variant(tmp_path_factory):
    return materialise(load_task(write_task(tmp_path_factory.mktemp("tasks"))), 0)


@pytest.fixture
def workspace(variant, tmp_path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    write_tree(variant.workspace, folder)
    return folder


@pytest.fixture
def grade(variant, workspace):
    """Judge the workspace with some files replaced, under bubblewrap, and return what came of it."""

    def run(level=SandboxLevel.BUBBLEWRAP, seed="seed", hash_seed=0, limit=False, **files):
        for name, text in files.items():
            (workspace / name).write_text(text)
        return judge(variant, workspace, level=level, seed=seed, hash_seed=hash_seed, limit=limit)

    return run


def judge(variant, workspace, *, level=SandboxLevel.BUBBLEWRAP, seed="seed", hash_seed=0, limit=False):
    candidate = freeze(workspace, variant)
    with Judge(variant, open_sandbox(level), Clock()).sitting(candidate, hash_seed) as sitting:
        findings = sitting.grade(seed)
    checks = [outline.id for outline in variant.task.checks]
    outcome = classify(findings, candidate, required_checks=checks, required_tests=variant.public_tests, limit=limit)
    return SimpleNamespace(outcome=outcome, findings=findings, candidate=candidate)


@pytest.fixture
def grade_repair(variant, tmp_path):
    """Judge a control of the tiny task."""

    def run(name, **more):
        folder = tmp_path / f"repair-{name}"
        folder.mkdir()
        write_tree(apply_overlay(variant.workspace, variant.repairs[name]), folder)
        return judge(variant, folder, **more)

    return run
