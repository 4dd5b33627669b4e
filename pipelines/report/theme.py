"""The colours of page and figures, light and dark, and how a figure is put into the page.

Eight series colours after Okabe and Ito, safe for the colour-blind; each also has a marker of its own, so that no
reading rests on colour alone. The dark ones are the same hues, lighter.
"""

import re

SERIES = (  # light, dark, marker
    ("#0072b2", "#56aee6", "o"),
    ("#d55e00", "#f58b4c", "s"),
    ("#00876a", "#2cc7a0", "^"),
    ("#b2579b", "#e29cca", "D"),
    ("#b87a00", "#f0b840", "v"),
    ("#5b5fc7", "#a3a6ff", "P"),
    ("#7a5230", "#cfa27c", "X"),
    ("#5f6b76", "#b4bfc9", "*"),
)
INK = ("#1c2127", "#e6e9ec")
MUTED = ("#5c6670", "#a3adb7")
RULE = ("#dcdfe3", "#353c44")
SURFACE = ("#fefefe", "#1a1e23")
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))

VARIABLES = {
    "ink": INK,
    "muted": MUTED,
    "rule": RULE,
    "surface": SURFACE,
    **{f"series-{place}": (light, dark) for place, (light, dark, _) in enumerate(SERIES)},
}


def inline(svg: str, name: str, label: str) -> str:
    """A matplotlib SVG made part of a page: ids of its own, the page's colours, and ``label`` for who cannot see it.

    ``label`` and ``name`` must hold nothing that HTML would read: they are ours, never a model's.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\b(id="|url\(#|href="#)', rf"\g<1>{name}-", body)
    for variable, (light, _) in VARIABLES.items():
        body = body.replace(light, f"var(--{variable})")
    body = re.sub(r'<svg\b[^>]*?(viewBox="[^"]*")[^>]*>', rf'<svg \1 role="img" aria-label="{label}">', body, count=1)
    return body.replace("xlink:href", "href")
