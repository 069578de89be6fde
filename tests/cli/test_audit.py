"""``faultline audit``: from an empty checklist to audits that count, with real keys."""

import json
import re
import subprocess

import pytest
from commands import run_command
from tiny import FILES, write_benchmark

from faultline.tasks import load_task


@pytest.fixture
def root(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


@pytest.fixture
def folder(root):
    return root / "tasks" / "count-orders" / "audits"


@pytest.fixture
def audit(root):
    """Run a subcommand inside the tiny benchmark."""
    return lambda *arguments: run_command(root, "audit", *arguments)


def filled(text, **changes):
    """Return a checklist with every question answered in favour of the task, but for some changes."""
    answers = {"audited_at": "2026-03-20", "specification_severity": "0", "fairness_severity": "1", **changes}
    lines = []
    for line in text.splitlines():
        name = line.split(" = ")[0]
        answer = answers.get(name, {"judgement": '"implied"', "auditor": '"Bea Reader"'}.get(name, '"yes"'))
        lines.append(re.sub(r'"\?"', answer, line) if not line.startswith("#") else line)
    return "\n".join(lines) + "\n"


@pytest.fixture
def audited(audit, folder):
    """Make a finished audit of the tiny task by somebody, and return its file."""

    def make(name, **changes):
        before = set(folder.glob("*.toml"))
        done = audit("new", "count-orders", "--auditor", name)
        assert 0 == done.code, done
        (path,) = set(folder.glob("*.toml")) - before
        path.write_text(filled(path.read_text(), **changes))
        return path

    return make


class TestNew:
    def test_a_checklist_asks_everything_and_is_bound_to_the_form(self, audit, root, folder):
        """
        It names the task's digest, has one judgement for each hidden check, and reads as unfinished until it is filled in.
        """
        done = audit("new", "count-orders")
        (path,) = folder.glob("*.toml")
        task = load_task(root / "tasks" / "count-orders")

        assert 0 == done.code
        assert task.digest in path.read_text()
        assert [path.name] == [item.file for item in task.audit_files.unfinished]
        assert {"auditor", "specification_severity", "answers.fair", "judgements.every_order_counts.judgement"} <= set(
            task.audit_files.unfinished[0].open
        )

    def test_nothing_is_overwritten(self, audit, folder):
        """
        A second checklist gets a name of its own; a second one for the same person is refused and the first stays.
        """
        audit("new", "count-orders")
        audit("new", "count-orders")
        audit("new", "count-orders", "--auditor", "Bea Reader")
        path = next(path for path in folder.glob("*.toml") if "bea" in path.name)
        path.write_text("mine")
        done = audit("new", "count-orders", "--auditor", "BEA reader")

        assert 3 == len(list(folder.glob("*.toml")))
        assert (2, "mine") == (done.code, path.read_text())
        assert "[exists]" in done.err

    def test_the_author_is_refused(self, audit, folder):
        """
        The author of a task gets no checklist for it, under any spelling.
        """
        done = audit("new", "count-orders", "--auditor", "test  AUTHOR <a@b.org>")

        assert 2 == done.code
        assert "the author cannot audit the task" in done.err
        assert not folder.exists()

    def test_a_hostile_name_stays_a_name(self, audited, audit):
        """
        Quotes, backslashes and line feeds in a name break neither the file nor the output.
        """
        audited('Bea "\\ \n[answers] Reader')
        done = audit("check", "count-orders", "--json")

        assert ['bea "\\\\ [answers] reader'.replace("\\\\", "\\")] == json.loads(done.out)[0]["auditors"]

    def test_a_checklist_is_no_change_of_the_task(self, root, audit):
        """
        The digest of a task is the same with and without audits.
        """
        before = load_task(root / "tasks" / "count-orders").digest
        audit("new", "count-orders")

        assert before == load_task(root / "tasks" / "count-orders").digest


class TestCheck:
    def test_two_people_are_enough(self, audited, audit):
        """
        Two finished audits of the present form by two people who are not the author: exit code 0.
        """
        audited("Bea Reader")
        audited("Cy Doubter")
        done = audit("check", "count-orders")

        assert 0 == done.code
        assert "audited" in done.out
        assert 2 == done.out.count(": counts\n")

    def test_nobody_yet(self, audit):
        """
        Without audits the exit code is 3, and the output says how many people are missing.
        """
        done = audit("check")

        assert 3 == done.code
        assert "lacks 2 more independent auditors" in done.out

    @pytest.mark.parametrize(
        ("changes", "words", "state"),
        [
            ({"auditor": None}, "the same person again adds nobody", "begun"),
            ({"specification_severity": "2"}, "severity 2", "flawed"),
            ({"fairness_severity": "3"}, "severity 3", "flawed"),
            ({"fair": '"no"'}, "an auditor answered no to fair", "flawed"),
            ({"judgement": '"surprising"'}, "surprising", "flawed"),
            ({"strict": '"?"'}, "not finished; open: answers.strict", "begun"),
        ],
    )
    def test_an_audit_that_is_not_enough_says_why(self, audited, audit, folder, changes, words, state):
        """
        The same person twice, a severe label, a no, a surprising check and an open question: each is named, exit code 3.
        """
        audited("Bea Reader")
        path = audited("Cy Doubter", **{name: value for name, value in changes.items() if value})
        if "auditor" in changes:
            path.write_text(path.read_text().replace("Cy Doubter", "bea  reader <bea@x.org>"))
        done = audit("check", "count-orders")

        assert 3 == done.code
        assert words in done.out
        assert state == json.loads(audit("check", "count-orders", "--json").out)[0]["state"]

    def test_the_author_does_not_count(self, audited, audit):
        """
        An audit that was made over to the author's name is set aside.
        """
        path = audited("Bea Reader")
        path.write_text(path.read_text().replace("Bea Reader", "Test Author"))

        assert "does not count: the author" in audit("check").out

    def test_an_audit_of_another_form_does_not_count(self, audited, audit, root):
        """
        One changed byte of the task makes its audits history.
        """
        audited("Bea Reader")
        (root / "tasks" / "count-orders" / "issue.md").write_text(FILES["issue.md"] + "More.\n")

        assert "does not count: another form of the task" in audit("check").out

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ('schema = "faultline/audit/1"', 'schema = "faultline/audit/9"', "schema"),
            ("specification_severity = 0", 'specification_severity = "low"', "specification_severity"),
            ("specification_severity = 0", "specification_severity = 4", "specification_severity"),
            ('task = "count-orders"', 'task = "other-task"', "another task"),
            ("[answers]", "[answers", "this is not TOML"),
        ],
    )
    def test_a_file_that_does_not_read_is_named(self, audited, audit, old, new, words):
        """
        A malformed audit ends with exit code 2, the file and the field; the task itself stays usable.
        """
        path = audited("Bea Reader")
        path.write_text(path.read_text().replace(old, new))
        done = audit("check")

        assert 2 == done.code
        assert path.name in done.err
        assert words in done.err

    def test_an_audit_made_for_a_test_is_refused(self, audited, audit):
        """
        An audit that is marked synthetic keeps the exit code at 3, whoever signed it.
        """
        audited("Bea Reader")
        path = audited("Cy Doubter")
        path.write_text(path.read_text().replace("[answers]", "synthetic = true\n[answers]"))
        done = audit("check")

        assert 3 == done.code
        assert "1 marked synthetic, which the gate refuses" in done.out

    def test_a_stricter_policy_asks_for_more(self, audited, audit, root):
        """
        Where the benchmark asks for three auditors two are not enough.
        """
        audited("Bea Reader")
        audited("Cy Doubter")
        (root / "faultline.toml").write_text("[gates]\nauditors_per_task = 3\n")

        assert "lacks 1 more independent auditor of its current form, 3 in all" in audit("check").out

    def test_an_unknown_task(self, audit):
        """
        A task that is not there ends with exit code 2.
        """
        assert 2 == audit("check", "no-such-task").code


class TestSignatures:
    @pytest.fixture
    def key(self, tmp_path):
        """Make a key pair of OpenSSH."""

        def make(name):
            path = tmp_path / name
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)], check=True, capture_output=True
            )
            return path

        return make

    @pytest.fixture
    def list_key(self, root):
        """List a public key for an auditor."""

        def add(name, key):
            algorithm, public = key.with_suffix(".pub").read_text().split()[:2]
            with (root / "tasks" / "allowed_signers").open("a") as file:
                file.write(f'"{name}" {algorithm} {public}\n')

        return add

    def state(self, audit):
        (row,) = json.loads(audit("check", "--json").out)
        return [(item["signature"], item["counts"]) for item in row["audits"]]

    def test_a_signed_audit_counts(self, audited, audit, key, list_key):
        """
        A signature by the key that is listed for the auditor is shown with the key's fingerprint.
        """
        list_key("bea reader", key("bea"))
        done = run_command(None, "audit", "sign", audited("Bea Reader"), "--key", key("bea2").with_name("bea"))
        (row,) = json.loads(audit("check", "--json").out)

        assert 0 == done.code
        assert [("signed", True)] == self.state(audit)
        assert row["audits"][0]["key"].startswith("SHA256:")

    def test_signing_says_under_which_name_the_key_must_be_listed(self, audited, key):
        """
        Names are listed in lower case and without an address, which nobody guesses.
        """
        done = run_command(None, "audit", "sign", audited("Bea Reader"), "--key", key("bea"))

        assert 'begins with: "bea reader"' in done.out

    def test_without_a_key_an_audit_counts_by_name(self, audited, audit, key, list_key):
        """
        Somebody for whom no key is listed need not sign.
        """
        list_key("somebody else", key("else"))
        audited("Bea Reader")

        assert [("unsigned", True)] == self.state(audit)

    def test_a_change_after_signing_is_noticed(self, audited, audit, key, list_key):
        """
        An audit that was made milder after it was signed does not count; its layout may change.
        """
        own = key("bea")
        list_key("bea reader", own)
        path = audited("Bea Reader", fairness_severity="2")
        run_command(None, "audit", "sign", path, "--key", own)
        path.write_text("# a comment\n" + path.read_text())

        assert [("signed", True)] == self.state(audit)

        path.write_text(path.read_text().replace("fairness_severity = 2", "fairness_severity = 0"))

        assert [("bad", False)] == self.state(audit)

    def test_taking_a_signature_away_does_not_help(self, audited, audit, key, list_key):
        """
        Where a key is listed for the auditor, an audit without signature does not count.
        """
        list_key("bea reader", key("bea"))
        audited("Bea Reader")

        assert [("missing", False)] == self.state(audit)
        assert "not signed, though a key is listed" in audit("check").out

    @pytest.mark.parametrize("listed", [False, True])
    def test_a_key_that_is_not_listed_does_not_count(self, audited, audit, key, list_key, listed):
        """
        A signature by a stranger's key does not count, whether or not keys are listed at all.
        """
        if listed:
            list_key("bea reader", key("bea"))
        run_command(None, "audit", "sign", audited("Bea Reader"), "--key", key("stranger"))

        assert [("bad" if listed else "unknown-key", False)] == self.state(audit)

    def test_one_key_under_two_names_is_one_person(self, audited, audit, key, list_key):
        """
        Two auditors who sign with one key count once.
        """
        own = key("one")
        for name in ("Bea Reader", "Cy Doubter"):
            list_key(name.lower(), own)
            run_command(None, "audit", "sign", audited(name), "--key", own)
        (row,) = json.loads(audit("check", "--json").out)

        assert ["signed", "signed"] == [item["signature"] for item in row["audits"]]
        assert ["bea reader"] == row["auditors"]
        assert any(line.startswith("1 more independent auditor") for line in row["lacks"])

    def test_a_signature_for_another_purpose_is_none(self, audited, audit, key, list_key):
        """
        What the key signed for another namespace is not an audit.
        """
        own, path = key("bea"), audited("Bea Reader")
        list_key("bea reader", own)
        (found,) = load_task(path.parent.parent).audits
        command = ["ssh-keygen", "-Y", "sign", "-n", "file", "-f", str(own)]
        done = subprocess.run(command, input=found.canonical(), capture_output=True, check=True)
        path.with_name(path.name + ".sig").write_bytes(done.stdout)

        assert [("bad", False)] == self.state(audit)

    def test_without_ssh_keygen_nobody_looked(self, audited, audit, key, list_key, monkeypatch):
        """
        Where keys are listed and the program is missing, audits do not count, and the state says so.
        """
        own, path = key("bea"), audited("Bea Reader")
        list_key("bea reader", own)
        monkeypatch.setenv("PATH", "/nowhere")

        assert [("unchecked", False)] == self.state(audit)
        assert 7 == run_command(None, "audit", "sign", path, "--key", own).code

    def test_an_unfinished_audit_is_not_signed(self, audit, folder, key):
        """
        A checklist with open questions, a key that is none and one that is not there end with exit code 2.
        """
        audit("new", "count-orders")
        (path,) = folder.glob("*.toml")
        own = key("own")

        assert 2 == run_command(None, "audit", "sign", path, "--key", own).code
        path.write_text(filled(path.read_text()))
        assert 2 == run_command(None, "audit", "sign", path, "--key", path).code
        assert 2 == run_command(None, "audit", "sign", path, "--key", folder / "none").code
        assert [path] == list(folder.iterdir())

    def test_a_signature_is_not_overwritten(self, audited, key):
        """
        Signing twice leaves the first signature.
        """
        path, own = audited("Bea Reader"), key("own")
        run_command(None, "audit", "sign", path, "--key", own)

        assert 2 == run_command(None, "audit", "sign", path, "--key", own).code


class TestListAndHistory:
    def test_list_shows_every_task(self, audited, audit):
        """
        One line a task: family, form, people, worst label, state; in JSON the same.
        """
        audited("Bea Reader")
        (row,) = json.loads(audit("list", "--json").out)

        assert ("count-orders", "count-orders", ["bea reader"], 1, "begun") == (
            row["task"],
            row["family"],
            row["auditors"],
            row["worst_severity"],
            row["state"],
        )
        assert "bea reader" in audit("list").out
        assert "1 of 3" in audit("list").out

    def test_list_says_none_yet(self, audit):
        """
        Without an audit there is no label: neither zero nor three.
        """
        assert "none yet" == json.loads(audit("list", "--json").out)[0]["worst_severity"]

    def test_history_tells_audits_and_corrections_in_order(self, audited, audit, root):
        """
        An audit names the form it examined, a correction the forms before and after it, oldest first.
        """
        audited("Bea Reader", audited_at="2026-03-20")
        (root / "tasks" / "count-orders" / "corrections.toml").write_text(
            'schema = "faultline/corrections/1"\n[[correction]]\nid = "count-orders-1"\ntitle = "Told better"\n'
            'corrected_at = 2026-03-14\nkind = "specification"\nseverity = 1\nfound_by = "a reader"\nbefore = "roughly"\n'
            'after = "exactly"\nwhy = "unclear"\neffect = "none"\n'
            f'before_digest = "sha256:{"1" * 64}"\nafter_digest = "sha256:{"2" * 64}"\n'
            f'before_commit = "{"1" * 40}"\nafter_commit = "{"2" * 40}"\n'
        )
        found = json.loads(audit("history", "count-orders", "--json").out)

        assert [("correction", "2026-03-14"), ("audit", "2026-03-20")] == [
            (item["kind"], item["at"]) for item in found["history"]
        ]
        assert (f"sha256:{'1' * 64}", f"sha256:{'2' * 64}") == (found["history"][0]["before"], found["history"][0]["after"])
        assert found["digest"] == found["history"][1]["before"] == found["history"][1]["after"]
        assert "111111111111 became 222222222222: Told better" in audit("history", "count-orders").out

    def test_nothing_has_happened_yet(self, audit):
        """
        A task without audits and corrections says so.
        """
        assert "nobody has audited or corrected it" in audit("history", "count-orders").out
