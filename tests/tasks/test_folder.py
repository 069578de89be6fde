"""Loading a task folder: what is right is loaded, and everything that is wrong is named."""

import pytest
from tiny import CANARY, CHECKS, FILES, TASK_TOML, VARIANTS, write_task

from faultline.errors import FaultlineError
from faultline.tasks import load_task, load_tasks


def faults(folder) -> str:
    with pytest.raises(FaultlineError) as caught:
        load_task(folder)
    return "\n".join(caught.value.diagnostics())


class TestWhole:
    def test_a_right_folder_is_loaded(self, tmp_path):
        """A task folder with nothing wrong gives its checks, public tests and repairs."""
        task = load_task(write_task(tmp_path))

        assert ["repeats_do_not_count", "every_order_counts"] == [outline.id for outline in task.checks]
        assert (
            "tests/test_total.py::TestTotal::test_sum",
            "tests/test_total.py::TestTotal::test_repeated_order",
        ) == task.public_tests
        assert ["reference", "valid-loop", "wrong-first-only", "wrong-neighbours"] == list(task.repairs)

    def test_a_changed_byte_is_another_digest(self, tmp_path):
        """Changing one byte of the workspace changes the task's digest."""
        before = load_task(write_task(tmp_path / "a")).digest
        changed = FILES["workspace/README.md"] + " "

        assert before != load_task(write_task(tmp_path / "b", **{"workspace/README.md": changed})).digest

    def test_corrections_and_audits_are_not_part_of_the_digest(self, tmp_path):
        """An empty list of corrections leaves the digest as it is, since audits are bound to it."""
        before = load_task(write_task(tmp_path / "a")).digest
        more = {"corrections.toml": 'schema = "faultline/corrections/1"\ncorrection = []\n'}

        assert before == load_task(write_task(tmp_path / "b", **more)).digest

    def test_leavings_of_tools_are_passed_over(self, tmp_path):
        """A __pycache__ folder in the workspace does not change the digest."""
        folder = write_task(tmp_path)
        before = load_task(folder).digest
        (folder / "workspace" / "__pycache__").mkdir()
        (folder / "workspace" / "__pycache__" / "x.pyc").write_bytes(b"x")

        assert before == load_task(folder).digest


BROKEN = {
    "not TOML": ({"task.toml": "id = [1\n?"}, "task.toml:2: this is not TOML"),
    "unknown field": (
        {"task.toml": TASK_TOML.replace("version = 1", "version = 1\nspeed = 3")},
        "speed: this field does not exist",
    ),
    "missing field": ({"task.toml": TASK_TOML.replace('author = "Test author"', "")}, "author: this field is missing"),
    "wrong type": (
        {"task.toml": TASK_TOML.replace("version = 1", 'version = "1"')},
        "version: input should be a valid integer",
    ),
    "other id": ({"task.toml": TASK_TOML.replace('id = "count-orders"', 'id = "other"')}, "the id is not the folder's name"),
    "unknown class": ({"task.toml": TASK_TOML.replace("metric-aggregation", "bad-luck")}, "this class is not known"),
    "unexplained code": (
        {"hidden/checks.py": CHECKS.replace('("SOME_LOST",)', '("SOME_LOST", "NEW_CODE")')},
        "the code NEW_CODE is not explained",
    ),
    "impossible code": ({"task.toml": TASK_TOML + 'NEVER = "Never."\n'}, "codes.NEVER: no hidden check can give this code"),
    "wrong repair without code": ({"repairs/wrong-extra/shop/total.py": "x = 1\n"}, "this wrong repair has no reason code"),
    "repair outside": ({"repairs/reference/tests/test_total.py": "x = 1\n"}, "touches a file that no agent may edit"),
    "no such public test": (
        {"task.toml": TASK_TOML.replace("test_repeated_order", "test_nothing")},
        "there is no such public test",
    ),
    "no public test": ({"workspace/tests/test_total.py": "x = 1\n"}, "there is no public test"),
    "no hidden check": ({"hidden/checks.py": f'"""{CANARY}"""\n'}, "there is no hidden check"),
    "check without requirement": (
        {"hidden/checks.py": CHECKS.replace('    """Every order is counted."""\n', "")},
        "the check every_order_counts states no requirement",
    ),
    "broken check": ({"hidden/checks.py": CHECKS + "def ("}, "this is not Python"),
    "canary in the issue": ({"issue.md": f"Hello {CANARY}"}, "the canary stands where an agent or a control can show it"),
    "canary missing": ({"hidden/checks.py": CHECKS.replace(CANARY, "")}, "the canary of task.toml is missing here"),
    "issue names the class": ({"issue.md": "This is a metric aggregation problem."}, "this names the failure class"),
    "first skin renames": (
        {"variants.toml": VARIANTS.replace("rename = {}", 'rename = { shop = "kiosk" }')},
        "the first skin is the workspace as written",
    ),
    "skin renames a code": (
        {"variants.toml": VARIANTS.replace('amount = "price"', 'some = "all"')},
        "the skin renames part of a reason code",
    ),
    "words fall together": (
        {"variants.toml": VARIANTS.replace('amount = "price"', 'amount = "ticket"')},
        "two words become one",
    ),
    "new word was there": (
        {"variants.toml": VARIANTS.replace('"museum",', '"total",')},
        "the new word stands in the task already",
    ),
    "editable tests": (
        {"task.toml": TASK_TOML.replace('"README.md"', '"tests/*.py"')},
        "this pattern reaches the public tests",
    ),
    "upward path": ({"task.toml": TASK_TOML.replace('"README.md"', '"../x"')}, "the text has another form"),
}


class TestBroken:
    @pytest.mark.parametrize("name", BROKEN)
    def test_every_fault_is_named(self, tmp_path, name):
        """A malformed task is refused with file, place and what is wrong."""
        changes, expected = BROKEN[name]

        assert expected in faults(write_task(tmp_path, **changes))

    @pytest.mark.parametrize("name", ["task.toml", "issue.md", "variants.toml", "hidden/checks.py"])
    def test_a_missing_file_is_named(self, tmp_path, name):
        """A file that is not there is named."""
        found = faults(write_task(tmp_path, without=(name,)))

        assert "this file is missing" in found
        assert name.rsplit("/", 1)[-1] in found

    def test_a_missing_reference_is_named(self, tmp_path):
        """A task without a reference repair is refused."""
        assert "there is no reference repair" in faults(write_task(tmp_path, without=("repairs/reference/shop/total.py",)))

    def test_a_link_is_refused(self, tmp_path):
        """A symbolic link in a task is refused, wherever it leads."""
        folder = write_task(tmp_path)
        (folder / "workspace" / "link.py").symlink_to("/etc/passwd")

        assert "only regular files belong in a task" in faults(folder)

    def test_all_faults_of_all_tasks_come_at_once(self, tmp_path):
        """Loading a catalogue reports every fault, not the first one."""
        write_task(tmp_path, **{"task.toml": TASK_TOML.replace("metric-aggregation", "bad-luck"), "issue.md": CANARY})

        with pytest.raises(FaultlineError) as caught:
            load_tasks(tmp_path)

        assert 2 == len(caught.value.diagnostics())

    def test_no_folder_of_tasks_is_named(self, tmp_path):
        """A benchmark without tasks is refused with a next step."""
        with pytest.raises(FaultlineError, match="there is no folder of tasks"):
            load_tasks(tmp_path / "tasks")
