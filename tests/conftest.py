"""What all tests share: the folder of their helpers is on the path, so that ``import factories`` works everywhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser):
    """Let the suite in ``tests/sandbox`` be pointed at the sandbox of an installed package."""
    parser.addoption(
        "--sandbox", default="", metavar="NAME", help="try this sandbox in tests/sandbox, found by its entry point"
    )
