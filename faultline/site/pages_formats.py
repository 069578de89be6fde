"""The file formats: an index, and a page for each with fields, rules and a full example."""

from collections.abc import Iterator
from itertools import groupby

from faultline.card.model import EvaluationCard
from faultline.site.formats import FORMATS
from faultline.site.page import Page
from faultline.site.schemas import tables_of


def pages(card: EvaluationCard) -> Iterator[Page]:  # noqa: ARG001  (formats do not depend on a card)
    """Yield the index and a page for each format."""
    yield Page(
        "formats/index",
        "File formats",
        "formats.html",
        {"groups": [(group, tuple(items)) for group, items in groupby(FORMATS, key=lambda item: item.group)]},
        summary="Every file that Faultline reads or writes: purpose, fields, parsing rules, a full example and a JSON Schema.",
    )
    for item in FORMATS:
        yield Page(
            f"formats/{item.name}",
            item.file.rsplit("/", 1)[-1] if "<" not in item.file.rsplit("/", 1)[-1] else item.name,
            "format.html",
            {"format": item, "tables": tables_of(item.model)},
            summary=f"{item.file}: {item.purpose}",
        )
