"""What all tests share: the folder of their helpers is on the path, so that ``import factories`` works everywhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
