"""Pictures in SVG, for notebooks with a light or a dark page."""

from __future__ import annotations

import html


class Picture:
    """Rectangles and texts, one over the other."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._width = 0.0
        self._height = 0.0

    def _reach(self, x: float, y: float) -> None:
        self._width = max(self._width, x)
        self._height = max(self._height, y)

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: str = "none", *, tip: str = ""
    ) -> None:
        """`tip` is what the mouse shows."""
        self._reach(x + width, y + height)
        shape = (
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}"'
            ' stroke="#888" stroke-width="0.5"'
        )
        self._parts.append(f"{shape}><title>{html.escape(tip)}</title></rect>" if tip else f"{shape}/>")

    def lines(self, x: float, y: float, width: float, height: float, dx: float, dy: float) -> None:
        """A grid of lines inside of a rectangle; none in a direction whose distance is 0."""
        path = []
        if dx:
            path += [f"M{x + i * dx:.2f} {y:.2f}v{height:.2f}" for i in range(1, round(width / dx + 0.499))]
        if dy:
            path += [f"M{x:.2f} {y + i * dy:.2f}h{width:.2f}" for i in range(1, round(height / dy + 0.499))]
        if path:
            self._parts.append(f'<path d="{"".join(path)}" fill="none" stroke="#888" stroke-width="0.5"/>')

    def text(
        self, x: float, y: float, text: str, *, size: float = 11, anchor: str = "start", fill: str = ""
    ) -> None:
        """`y` is the base line; black or white, as the page wants it, unless filled otherwise."""
        width = len(text) * size * 0.62
        self._reach(x + (width if anchor == "start" else width / 2 if anchor == "middle" else 0), y + 3)
        self._parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size}" text-anchor="{anchor}"'
            f' fill="{fill or "currentColor"}">{html.escape(text)}</text>'
        )

    def __str__(self) -> str:
        width, height = self._width + 2, self._height + 2
        parts = "".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="-1 -1 {width:.0f} {height:.0f}" font-family="monospace">{parts}</svg>\n'
        )
