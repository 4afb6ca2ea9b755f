"""How objects show themselves in notebooks."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence

_SORT = (
    "var t=this.closest('table'),b=t.tBodies[0],i=this.cellIndex,d=this.dataset.d=="
    "'1'?-1:1;this.dataset.d=d;Array.from(b.rows).sort(function(r,s){var x=r.cells[i].dataset.v,"
    "y=s.cells[i].dataset.v,n=parseFloat(x)-parseFloat(y);return d*(isNaN(n)?(x<y?-1:x>y?1:0):n);"
    "}).forEach(function(r){b.appendChild(r);});"
)


def table(
    rows: Sequence[Mapping[str, object]], *, title: str = "", note: str = "", sortable: bool = True
) -> str:
    """Rows as an HTML table; a click on a heading sorts by it. `note` is HTML."""
    columns = list(rows[0]) if rows else []
    click = f' onclick="{_SORT}" style="cursor:pointer"' if sortable else ""
    heads = "".join(f"<th{click}>{html.escape(column)}</th>" for column in columns)
    lines = []
    for row in rows:
        cells = "".join(_cell(row.get(column)) for column in columns)
        lines.append(f"<tr>{cells}</tr>")
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    body = "".join(lines)
    text = f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return text + (f"<p>{note}</p>" if note else "")


def _cell(value: object) -> str:
    if value is None:
        shown = ""
    elif isinstance(value, float):
        shown = f"{value:.3g}"
    elif isinstance(value, int):
        shown = f"{value:,}"
    elif isinstance(value, (list, tuple, dict)):
        shown = json.dumps(value)
    else:
        shown = str(value)
    align = ' style="text-align:right"' if isinstance(value, (int, float)) else ""
    key = html.escape(str("" if value is None else value), quote=True)
    return f'<td{align} data-v="{key}">{html.escape(shown)}</td>'


_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_SELECTOR = re.compile(r"[^{}<>]+(?=\{)")


def svg(text: str) -> str:
    """An SVG file as part of a page. Its style is for itself alone, not for other pictures there, and
    is made for white."""
    start = text.find("<svg")
    if start < 0 or not _STYLE.search(text):
        return text[max(start, 0) :]
    scoped = _STYLE.sub(lambda style: _SELECTOR.sub(r".hlo-indexing-grid \g<0>", style[0]), text[start:])
    return scoped.replace("<svg ", '<svg class="hlo-indexing-grid" style="background:#fff" ', 1)
