"""A reader's packet: one HTML file that works offline, asks about each item in an order of its own, and saves a file.

It holds what the material holds, already redacted: no run, agent, verdict, control or colleague.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from faultline.kinds import safe_text
from faultline.records import Absent, MaterialItem, ReviewMaterial
from faultline.review.people import person

_ASSETS = Path(__file__).with_name("assets")
_KINDS = {"+": "add", "-": "del", "@": "at"}


def shuffled(material: ReviewMaterial, reviewer: str) -> tuple[MaterialItem, ...]:
    """Return the items in the order of one reader, which depends on the reader's name and on what is shown."""
    seed = f"{material.content_digest()}\n{person(reviewer)}\n"
    return tuple(sorted(material.items, key=lambda item: hashlib.sha256((seed + item.item).encode()).digest()))


def packet_page(material: ReviewMaterial, reviewer: str) -> bytes:
    """Return the packet of a reader; the same material and name give the same bytes."""
    name = safe_text(reviewer, 200)
    items = shuffled(material, reviewer)
    style, script = (_ASSETS.joinpath(file).read_text(encoding="utf-8") for file in ("packet.css", "packet.js"))
    data = {
        "sample": material.sample,
        "material": material.content_digest(),
        "reviewer": name,
        "items": [item.item for item in items],
    }
    environment = Environment(
        loader=FileSystemLoader(_ASSETS), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["absent"] = lambda value: isinstance(value, Absent)
    text = environment.get_template("packet.html").render(
        reviewer=name,
        items=items,
        lines=_lines,
        # Both are the package's own files; the data is JSON without any sign that could end the element.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        style_hash=Markup(_hash(style)),  # noqa: S704
        script_hash=Markup(_hash(script)),  # noqa: S704
        data=Markup(json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")),  # noqa: S704
    )
    return text.encode("utf-8")


def _lines(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a diff with the class that colours them."""
    for line in diff.split("\n"):
        yield _KINDS.get(line[:1], ""), line


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
