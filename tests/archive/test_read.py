"""Reading a sealed run: strict, with file and line."""

import pytest
from archive_samples import content, lines, reseal, rewrite

from faultline.archive import read_run
from faultline.errors import BadInputError, IntegrityError, MissingInputError
from faultline.kinds import digest_bytes


def test_what_is_read_is_what_was_sealed(finished, sealed):
    """
    A sealed run comes back as the values that were sealed, with the digest of its seal.
    """
    run = read_run(sealed)

    assert ("sample-run", finished.plan, tuple(finished.trials), 0) == (run.name, run.manifest, run.trials, run.conflicts)
    assert digest_bytes(content(sealed)["seal.json"]) == run.seal_digest
    assert digest_bytes(content(sealed)["trials.jsonl"]) == run.results_digest


def test_the_place_it_was_read_from_is_no_part_of_the_value(finished, tmp_path):
    """
    The same run read from two places is the same value, and shows no path.
    """
    one, two = (read_run(finished.seal(tmp_path / name)) for name in ("one", "two"))

    assert one == two
    assert str(tmp_path) not in repr(one)


@pytest.mark.parametrize("name", ["seal.json", "manifest.json", "trials.jsonl"])
def test_a_missing_file_is_named(sealed, name):
    """
    A file that is missing is named.
    """
    (sealed / name).unlink()
    with pytest.raises(MissingInputError, match=f"^sample-run/{name}: this file is missing"):
        read_run(sealed)


def test_a_torn_last_line_is_an_error(sealed):
    """
    A sealed file with a torn last line is an error that names the line, never a shorter run.
    """
    path = sealed / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadInputError, match=r"^sample-run/trials.jsonl:4: the last line is torn"):
        read_run(sealed)


def test_a_malformed_line_is_named_with_its_field(sealed):
    """
    A line with a field that does not exist is named with line and field.
    """
    rows = lines(sealed)
    rows[2]["more"] = 1
    rewrite(sealed, rows)
    with pytest.raises(BadInputError, match=r"^sample-run/trials.jsonl:3: more: this field does not exist"):
        read_run(sealed)


def test_rows_that_do_not_fit_the_plan_are_not_read(sealed):
    """
    A run with a dropped row is not read as a smaller run.
    """
    rewrite(sealed, lines(sealed)[1:])
    with pytest.raises(IntegrityError, match=r"alpha.one.sample-agent.0 has no trial"):
        read_run(sealed)


def test_a_seal_that_counts_otherwise_is_not_read(sealed):
    """
    Counts of the seal and of the files agree, or the run is not read.
    """
    reseal(sealed, recorded=3)
    with pytest.raises(IntegrityError, match="the seal does not belong to these files"):
        read_run(sealed)


def test_a_line_that_is_too_long_is_refused(sealed, monkeypatch):
    """
    A line beyond the cap is refused before it is parsed.
    """
    monkeypatch.setattr("faultline.archive.read.MAX_LINE", 100)
    with pytest.raises(BadInputError, match=r"trials.jsonl:1: this line is too long"):
        read_run(sealed)


def test_a_file_that_is_too_large_is_refused(sealed, monkeypatch):
    """
    A file beyond the cap is refused.
    """
    monkeypatch.setattr("faultline.archive.read.MAX_FILE", 100)
    with pytest.raises(BadInputError, match=r"seal.json: this file is too large"):
        read_run(sealed)
