"""Judge a variant whose hidden checks a test has changed, against the plan of the unchanged one."""

from faultline.clock import Clock
from faultline.grading import Judge, classify, freeze
from faultline.kinds import SandboxLevel
from faultline.sandbox import open_sandbox


def judge_variant(variant, workspace):
    candidate = freeze(workspace, variant)
    with Judge(variant, open_sandbox(SandboxLevel.BUBBLEWRAP), Clock()).sitting(candidate, 0) as sitting:
        findings = sitting.grade("seed")
    checks = [outline.id for outline in variant.task.checks]
    return classify(findings, candidate, required_checks=checks, required_tests=variant.public_tests, limit=False)
