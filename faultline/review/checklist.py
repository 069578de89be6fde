"""The checklist that an auditor fills in, as a TOML file with every question and an open answer for each."""

from faultline.kinds import AuditQuestion, safe_text
from faultline.tasks import OPEN, Task

_HEAD = """# An audit of one exact form of a task, by a person who did not write it.
# Replace every "{open}" with your answer, then run: faultline audit check {task}
# Read first: issue.md and workspace/ as an agent gets them, then hidden/checks.py, then repairs/.
schema = "faultline/audit/1"
task = "{task}"
task_digest = "{digest}"
auditor = {auditor}
audited_at = "{open}"                  # the day, as in 2026-03-20

# Severity, a number without quotes: 0 no flaw; 1 minor, a careful reader is not misled; 2 a fair reading could fail;
# 3 the task must not be used. The worst label of all auditors decides, and 2 keeps the task from counting.
specification_severity = "{open}"      # 0 to 3: can the issue be understood?
fairness_severity = "{open}"           # 0 to 3: do the checks accept every right repair?
notes = ""                        # what is wrong, and where; one line

# Is the statement true? "yes" or "no"; a no keeps the task from counting until it is corrected.
[answers]
"""


def checklist(task: Task, auditor: str = "") -> str:
    """Return a checklist for a task as it is now; the auditor's name may be filled in already."""
    name = _quoted(auditor) if auditor else f'"{OPEN}"'
    lines = [_HEAD.format(open=OPEN, task=task.id, digest=task.digest, auditor=name)]
    lines += [
        f'{question.value} = "{OPEN}"{" " * (16 - len(question.value))}# {question.meaning}\n' for question in AuditQuestion
    ]
    lines.append('\n# For each hidden check: "stated", "implied" or "surprising". One surprising check rejects the task.\n')
    for outline in task.checks:
        requirement = " ".join(safe_text(outline.requirement, 300).split())
        lines.append(f'[[judgements]]   # {requirement}\ncheck = "{outline.id}"\njudgement = "{OPEN}"\n\n')
    return "".join(lines).rstrip("\n") + "\n"


def _quoted(text: str) -> str:
    """Return a text as a basic string of TOML."""
    plain = safe_text(text, 200).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + plain.replace("\n", " ").replace("\t", " ") + '"'
