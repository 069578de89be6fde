"""The site: every page, chart, download and feed is a view of the evaluation card, and of nothing else.

``source`` reads a benchmark and is the room's only way in; ``plugin`` is the only module that knows MkDocs. Page families
(``pages_*``) are functions from the card to pages and are listed in ``registry``; ``markup`` and ``csp`` work on finished
HTML. No page exists that compares agents while the leaderboard is withheld, because the card then holds nothing to compare.
"""
