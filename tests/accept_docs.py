"""Put the present help texts into the README: python tests/accept_docs.py. Look at the diff before you commit it."""

import re
from pathlib import Path

from test_docs import README, ROOT, shown


def main() -> None:
    """Rewrite each marked block."""
    text = re.sub(
        r"<!-- help: (.*?) -->\n```\n.*?```\n<!-- end -->",
        lambda match: f"<!-- help: {match[1]} -->\n```\n{shown(match[1])}```\n<!-- end -->",
        README,
        flags=re.DOTALL,
    )
    Path(ROOT, "README.md").write_text(text)


if __name__ == "__main__":
    main()
