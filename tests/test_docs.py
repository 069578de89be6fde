"""Documents are complete and true: what they say of commands, exit codes, rooms and files is what the code says."""

import inspect
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from faultline import errors
from faultline.cli.main import COMMANDS, SUMMARIES, cli

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def shown(command: str) -> str:
    return CliRunner().invoke(cli, command.split()[1:], prog_name="faultline", terminal_width=100).output


class TestReadme:
    def test_its_first_screen_has_the_two_commands(self):
        """Set-up is `make site` and `make test`, within the first 12 lines."""
        first = "\n".join(README.splitlines()[:12])

        assert "make site" in first
        assert "make test" in first

    @pytest.mark.parametrize(
        "block", re.findall(r"<!-- help: (.*?) -->\n```\n(.*?)```\n<!-- end -->", README, re.DOTALL), ids=lambda b: b[0]
    )
    def test_help_texts_are_what_the_commands_print(self, block):
        """A block of help text in the README equals the command's output; accept with `python tests/accept_docs.py`."""
        command, text = block

        assert shown(command) == text

    def test_every_command_is_mentioned(self):
        """No command is missing from the README."""
        assert [] == [name for name in COMMANDS if f"faultline {name}" not in README and f"  {name} " not in README]

    def test_every_exit_code_is_explained(self):
        """Each exit code of an error class is in the README's table."""
        codes = {value.exit_code for _, value in inspect.getmembers(errors, inspect.isclass) if hasattr(value, "exit_code")}
        listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}

        assert codes - {1} <= listed

    def test_links_to_files_lead_somewhere(self):
        """Relative links of the documents point at files that exist."""
        found = [
            (name, target)
            for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
            for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / name).read_text())
            if not (ROOT / target).exists()
        ]

        assert [] == found


class TestCommands:
    def test_every_command_has_a_summary(self):
        """The list of commands and their one-line summaries have the same names."""
        assert list(COMMANDS) == list(SUMMARIES)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_an_example(self, name):
        """`--help` of each command shows an example."""
        assert "faultline " + name in shown(f"faultline {name} --help").split("Example", 1)[1]

    def test_help_imports_no_room(self):
        """Asking for help loads none of the heavy libraries."""
        import subprocess

        code = (
            "import sys; from faultline.cli.main import cli\n"
            "try: cli.main(['--help'], standalone_mode=False)\nexcept SystemExit: pass\n"
            "print(sorted({'sqlalchemy', 'mkdocs', 'altair', 'numpy', 'pandas', 'rich', 'scipy'} & set(sys.modules)), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

        assert "[]" == done.stderr.strip()


class TestArchitecture:
    def test_every_room_is_in_the_table(self):
        """Each package and module of `faultline/` has its line in ARCHITECTURE.md."""
        text = (ROOT / "ARCHITECTURE.md").read_text()
        rooms = {path.stem for path in (ROOT / "faultline").iterdir() if path.suffix == ".py" or path.is_dir()} - {
            "__init__",
            "__pycache__",
            "py",
        }

        assert [] == sorted(room for room in rooms if f"`{room}`" not in text)

    def test_every_room_says_what_it_is_for(self):
        """Each room's docstring is more than a name."""
        import importlib

        rooms = [path.name for path in (ROOT / "faultline").iterdir() if (path / "__init__.py").exists()]

        assert [] == [room for room in rooms if len(importlib.import_module(f"faultline.{room}").__doc__ or "") < 80]


class TestChangelogAndPins:
    def test_pins_hold_names_and_versions_only(self):
        """constraints.txt has no address of an index and no path."""
        lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]

        assert [] == [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.]+", line)]
