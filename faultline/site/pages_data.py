"""The data page, and the files that it lists."""

import json
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from faultline.card.model import EvaluationCard
from faultline.card.published import published
from faultline.kinds import digest_bytes
from faultline.records import Absent
from faultline.site.downloads import MANIFEST, Download, downloads, manifest
from faultline.site.page import Page

_IN_SCRIPT = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def files(card: EvaluationCard) -> dict[str, bytes]:
    """Return the bytes of every file of data by its path below the site."""
    found = downloads(card)
    return {item.path: item.content for item in found} | {MANIFEST: manifest(card, found)}


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page."""
    found = downloads(card)
    listing = manifest(card, found)
    whole = Download(MANIFEST, "List of files", "application/json", listing, "Every file above with its size and digest.")
    yield Page(
        "data",
        "Data",
        "data.html",
        {
            "tables": [item for item in found if item.path.startswith("data/") and "/runs/" not in item.path] + [whole],
            "run_files": [item for item in found if item.path.startswith("data/runs/")],
            "schemas": [item for item in found if item.path.startswith("schemas/")],
            "json_ld": json_in_page(dataset(card, found)),
            "commits": commits(card),
        },
        summary="Everything that this site shows, as files with digests, and how to check it.",
    )


def commits(card: EvaluationCard) -> tuple[str, ...]:
    """Return the commits that runs were made at, newest run first, each once."""
    found = [run.provenance.commit for run in card.runs]
    return tuple(dict.fromkeys(commit for commit in found if not isinstance(commit, Absent)))


def dataset(card: EvaluationCard, found: tuple[Download, ...]) -> dict[str, Any]:
    """Return the description of the data for search engines, as schema.org has it."""
    described: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": card.title,
        "description": card.tagline or "The evaluation card of a benchmark: tasks, evidence of validity, runs and trials.",
        "version": published(card).content_digest(),
        "isAccessibleForFree": True,
        "distribution": [
            {
                "@type": "DataDownload",
                "name": item.title,
                "contentUrl": item.path,
                "encodingFormat": item.media_type,
                "contentSize": f"{len(item.content)} B",
                "sha256": digest_bytes(item.content).removeprefix("sha256:"),
            }
            for item in found
            if item.path.startswith("data/")
        ],
    }
    if not any(run.imported for run in card.runs):
        # Results that others made stand under their terms, which no log tells.
        described["license"] = "https://spdx.org/licenses/MIT.html"
    if not isinstance(card.as_of, Absent):
        described["dateModified"] = f"{card.as_of:%Y-%m-%dT%H:%M:%SZ}"
    return described


def json_in_page(plain: Any) -> Markup:
    """Return JSON that can stand inside a script element of a data type: nothing in it can end the element."""
    return Markup(json.dumps(plain, ensure_ascii=False, sort_keys=True).translate(_IN_SCRIPT))  # noqa: S704  (escaped here)
