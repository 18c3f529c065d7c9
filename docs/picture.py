"""A message of the bot as a picture: python docs/picture.py "/similar PrismLLM" docs/similar.png

Asks the command over the local Discord, draws the reply as Discord lays out Components V2, and lets a
headless Chromium (Debian: apt-get install chromium) photograph it.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_ESCAPED = re.compile(r"\\([\\`*_~|\[\]()<>#\-+>.!])")
LIGHT = """
body{background:#fff;color:#313338} .container{background:#f2f3f5} .small,.typed{color:#5c5e66}
.button{background:#e3e5e8;color:#313338} .select{background:#ebedef;color:#5c5e66}
a{color:#006ce7} hr{border-color:#d4d7dc}
code{background:#e3e5e8}
"""
"""Discord's light theme, as changes to the dark one."""
_STYLE = """
*{box-sizing:border-box}
body{margin:0;background:#313338;color:#dbdee1;font:15px/1.4 'Noto Sans',sans-serif;padding:16px}
.who{display:flex;gap:10px;align-items:center;margin-bottom:6px}
.face{width:36px;height:36px;border-radius:50%;background:#2f6f8f;display:flex;align-items:center;justify-content:center;font-weight:700;color:#fff}
.app{background:#5865f2;color:#fff;border-radius:4px;font-size:10px;padding:1px 5px;margin-left:6px}
.typed{color:#949ba4;font-size:13px;margin:0 0 6px 46px} .message{margin-left:46px}
.container{background:#2b2d31;border-left:4px solid #2f6f8f;
border-radius:6px;padding:12px 14px;max-width:760px}
.container>div{margin-top:8px} .section>div{flex:1}
.section{display:flex;gap:14px;justify-content:space-between;align-items:flex-start;margin:9px 0}
h2{font-size:19px;margin:2px 0} .small{color:#949ba4;font-size:12.5px} a{color:#00a8fc;text-decoration:none}
.button{background:#4e5058;border-radius:5px;padding:5px 12px;color:#fff;font-size:13.5px;white-space:nowrap;
display:inline-block;margin:5px 6px 0 0}
.select{background:#1e1f22;border-radius:5px;padding:7px 10px;color:#949ba4;margin-top:6px}
img{max-width:100%;border-radius:6px;margin:8px 0} .container div{overflow-wrap:anywhere}
hr{border:0;border-top:1px solid #3f4147;margin:10px 0}
code{background:#1e1f22;padding:1px 4px;border-radius:3px}
"""


def inline(text: str) -> str:
    """A line of Discord's markdown as HTML."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(html.escape(found[1]))
        return f"\x00{len(kept) - 1}\x00"

    text = html.escape(_ESCAPED.sub(keep, text), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\x00(\d+)\x00", lambda found: kept[int(found[1])], text)


def block(text: str) -> str:
    """Discord's markdown as HTML, line by line."""
    out = []
    for line in text.split("\n"):
        if line.startswith("## "):
            out.append(f"<h2>{inline(line[3:])}</h2>")
        elif line.startswith("-# "):
            out.append(f'<div class="small">{inline(line[3:])}</div>')
        else:
            out.append(f"<div>{inline(line)}</div>")
    return "".join(out)


def draw(component: Json) -> str:
    """A component as HTML."""
    inside = "".join(draw(child) for child in component.get("components", []))
    kind = component["type"]
    if kind == 17:
        return f'<div class="container">{inside}</div>'
    if kind == 9:
        return f'<div class="section"><div>{inside}</div>{draw(component["accessory"])}</div>'
    if kind == 10:
        return f"<div>{block(component['content'])}</div>"
    if kind == 2:
        arrow = " ↗" if component.get("url") else ""
        return f'<span class="button">{html.escape(component.get("label", ""))}{arrow}</span>'
    if kind == 12:
        return "".join(
            f'<img src="{one["media"]["url"]}" alt="{html.escape(one.get("description") or "")}">'
            for one in component["items"]
        )
    if kind in (3, 5, 6, 7, 8):
        return f'<div class="select">{html.escape(component.get("placeholder", ""))} ▾</div>'
    return "<hr>" if kind == 14 else f"<div>{inside}</div>"


def page(command: str, message: Json, *, light: bool = False) -> str:
    """The message with its author, as a page, in Discord's dark theme or in its light one."""
    style = _STYLE + (LIGHT if light else "")
    typed = f"<p class=typed>you used <b>{html.escape(command)}</b></p>" if command else ""
    body = "".join(draw(component) for component in message["components"])
    return (
        f"<!doctype html><meta charset=utf-8><style>{style}</style>{typed}"
        "<div class=who><div class=face>L</div><b>Labmate</b><span class=app>APP</span></div>"
        f"<div class=message>{body}</div>"
    )


def main() -> None:
    command, target = sys.argv[1], Path(sys.argv[2])
    height = sys.argv[3] if len(sys.argv) > 3 else "900"
    asked = subprocess.run(
        [sys.executable, "-m", "bot", "ask", command, "--json"], capture_output=True, text=True, check=True
    )
    photograph(page(command, json.loads(asked.stdout)[0]), target, 860, int(height))


def photograph(text: str, target: Path, width: int, height: int) -> None:
    """A page as PNG."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("Pictures need Chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(text)
        subprocess.run(
            [
                browser,
                *[
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--hide-scrollbars",
                    "--disable-background-networking",
                ],
                f"--user-data-dir={folder}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={target.absolute()}",
                source.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
