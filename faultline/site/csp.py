"""The content security policy of a finished page: nothing runs that the page did not come with."""

import base64
import hashlib
import html
import re
from collections.abc import Iterable

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL | re.IGNORECASE)
_DATA = re.compile(r"""type=["']?application/(?:ld\+)?json""", re.IGNORECASE)
_CHARSET = '<meta charset="utf-8">'

SHIM_SCRIPT = (
    'postMessage=function c(s,n){parent.postMessage(s,n||"*")};importScripts=function d(...s){return s.reduce((n,e)=>'
    'n.then(()=>new Promise(r=>{let t=document.createElement("script");t.src=e,t.onload=r,document.body.appendChild(t)})),'
    'Promise.resolve())};addEventListener("error",({error})=>{parent.dispatchEvent(new ErrorEvent("error",'
    '{filename:"",error}))})'
)
"""What the vendored worker shim writes into its frame on ``file://``; constant, since the page's address was taken out."""


def with_policy(page: str) -> str:
    """Return the page with a policy in its head that allows exactly the inline scripts it holds."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy(inline_scripts(page)))}">'
    if _CHARSET not in page:
        raise ValueError("the page names no character set to put the policy after")
    # After the character set, which must stand among the first bytes, and before anything that could load or run.
    return page.replace(_CHARSET, f"{_CHARSET}\n      {tag}", 1)


def policy(scripts: Iterable[str]) -> str:
    """Return the policy that allows some inline scripts beside files of the site itself."""
    hashes = sorted({source_hash(text) for text in (*scripts, SHIM_SCRIPT)})
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(hashes)}",
            # The theme and drawn charts carry style attributes; they cannot run anything.
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def inline_scripts(page: str) -> list[str]:
    """Return the text of every inline script; blocks of data run nothing and are left out."""
    return [
        match["text"]
        for match in _SCRIPT.finditer(page)
        if match["text"].strip() and "src=" not in match["attributes"] and not _DATA.search(match["attributes"])
    ]


def source_hash(text: str) -> str:
    """Return a script's text as a source expression."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
