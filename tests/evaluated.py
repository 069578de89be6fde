"""A tiny benchmark on disk with a validity run and a sealed evaluation of an agent that names itself in what it writes."""

import subprocess
import sys
from pathlib import Path

from tiny import write_benchmark, write_files

AGENT = """
schema = "faultline/agent/1"
name = "tinker-bell"
model = "made-up-model-1"
command = ["{python}", "{agent}/repair.py"]
"""
REPAIR = """
import pathlib
folder = next(pathlib.Path().glob("*/total.py")).parent
text = (folder / "total.py").read_text()
(folder / "total.py").write_text(text.replace("return sum", "# As Tinker Bell, see /ho" + "me/adalovelace/notes\\n    return sum"))
"""


def write_evaluated(folder: Path) -> Path:
    """Validate the tiny benchmark, let the agent work on it, and return its root."""
    root = write_benchmark(folder / "benchmark")
    write_files(folder / "agent", {"agent.toml": AGENT, "repair.py": REPAIR})
    for command in (["validate"], ["run", "--agent", str(folder / "agent" / "agent.toml"), "--trials", "3"]):
        subprocess.run([sys.executable, "-m", "faultline.cli", *command], cwd=root, capture_output=True, check=True)
    return root
