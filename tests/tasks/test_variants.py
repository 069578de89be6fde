"""Variants: consistent renames, parameters from a seed, nothing else."""

from hypothesis import given
from hypothesis import strategies as st
from tiny import write_task

from faultline.records import Skin
from faultline.tasks import is_editable, load_task, materialise
from faultline.tasks.skins import renamer

RENAME = renamer(Skin(name="plant", rename={"patient": "machine", "patients": "machines", "PatientTable": "MachineTable"}))


class TestRenamer:
    def test_forms_of_a_word(self):
        """A word is renamed in lower case, capitalised and in capitals, also inside snake case."""
        assert "machine_id Machine MACHINES" == RENAME("patient_id Patient PATIENTS")

    def test_letters_beside_it_end_the_match(self):
        """A word inside another word is left alone."""
        assert "outpatient patiently" == RENAME("outpatient patiently")

    def test_camel_case_is_matched_exactly(self):
        """A camel-case key renames exactly that name."""
        assert "MachineTable patienttable" == RENAME("PatientTable patienttable")

    @given(st.text(alphabet="abp_ .", max_size=50))
    def test_renaming_back_gives_the_text(self, text):
        """Renaming there and back gives the text again, when the new word was not in it."""
        there = renamer(Skin(name="x", rename={"ab": "zz"}))
        back = renamer(Skin(name="y", rename={"zz": "ab"}))

        assert text == back(there(text))


class TestMaterialise:
    def test_the_same_seed_gives_the_same_variant(self, tmp_path):
        """A seed stands for one variant, down to its digest."""
        task = load_task(write_task(tmp_path))

        assert materialise(task, 7).pin == materialise(task, 7).pin

    def test_consecutive_seeds_cover_all_skins(self, tmp_path):
        """The skins take turns."""
        task = load_task(write_task(tmp_path))

        assert ["shop-0000", "museum-0001", "ferry-0002"] == [materialise(task, seed).pin.id for seed in range(3)]

    def test_everything_is_renamed_together(self, tmp_path):
        """Paths, issue, hidden checks, repairs, globs and test ids use one set of words."""
        variant = materialise(load_task(write_task(tmp_path)), 1)

        assert "museum/total.py" in variant.workspace
        assert "museum/total.py" in variant.repairs["reference"].files
        assert "museum.total:total" in variant.hidden_source
        assert ("museum/*.py", "README.md") == variant.editable
        assert "ticket" in variant.issue
        assert ("tests/test_total.py::TestTotal::test_repeated_ticket",) == variant.public_failing
        assert not any(b"order" in data for data in variant.workspace.values())

    def test_the_issue_lies_in_the_workspace(self, tmp_path):
        """An agent finds the issue in its workspace, in the words of the skin."""
        variant = materialise(load_task(write_task(tmp_path)), 2)

        assert variant.issue.encode() == variant.workspace["ISSUE.md"]

    def test_parameters_stay_in_their_range(self, tmp_path):
        """Every drawn parameter lies in the range of variants.toml."""
        task = load_task(write_task(tmp_path))

        assert all(3 <= materialise(task, seed).pin.parameters["orders"] <= 8 for seed in range(40))


class TestEditable:
    def test_a_star_does_not_cross_a_folder(self):
        """`shop/*.py` covers files in shop and none below it."""
        assert is_editable("shop/a.py", ("shop/*.py",))
        assert not is_editable("shop/inner/a.py", ("shop/*.py",))
        assert not is_editable("tests/a.py", ("*.py",))
