"""Print the offline report of an export: python -m forecast EXPORT TEST_ROWS SEED."""
import sys

from forecast.registry import read_visits
from forecast.report import offline_report


def main(arguments):
    """Run the report that `arguments` (path, test rows, seed) ask for."""
    if len(arguments) != 3:
        sys.exit(__doc__)
    path, test_rows, seed = arguments
    report = offline_report(read_visits(path), int(test_rows), int(seed))
    for name, value in report.items():
        print(f"{name:14} {value}")


if __name__ == "__main__":
    main(sys.argv[1:])
