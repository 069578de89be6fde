"""Terminal-Bench 1 (``tb``): run folders, lone result files, interrupted and resumed runs, and copies of all of them."""

from faultline.importers.terminal_bench.importer import TerminalBench

__all__ = ["TerminalBench"]
