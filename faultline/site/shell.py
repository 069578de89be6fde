"""The pages of one card, rendered: what any site generator needs, without one."""

from typing import Any

from markupsafe import Markup

from faultline.card.model import EvaluationCard
from faultline.card.published import published
from faultline.site.environment import make_environment
from faultline.site.page import Page
from faultline.site.registry import all_files, all_pages


class Shell:
    """The pages of one card, rendered without MkDocs."""

    def __init__(self, card: EvaluationCard) -> None:
        """Make the list of pages; and of the files beside them; bodies are rendered when asked for."""
        self.card = card
        self.pages = all_pages(card)
        self.files = all_files(card)
        self._environment = make_environment()
        self._digest = published(card).content_digest()

    def body(self, page: Page) -> str:
        """Return the body of a page."""
        return self._render(page.template, page=page, root="../" * page.path.count("/"), **page.context)

    def part(self, name: str, base_url: str) -> Markup:
        """Return the status line, the footer or what a wrong address says, for a page that lies ``base_url`` below the top."""
        root = "" if base_url in ("", ".") else base_url.rstrip("/") + "/"
        return Markup(self._render(f"{name}.html", root=root))  # noqa: S704  (autoescaped by the template)

    def _render(self, template: str, **values: Any) -> str:
        return self._environment.get_template(template).render(card=self.card, card_digest=self._digest, **values)
