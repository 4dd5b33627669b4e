"""The page in a real browser: it shows what it should, says nothing in the console, and asks nobody for anything.

Skipped where there is no Chromium, unless HEURESIS_REQUIRE_BROWSER=1.
"""

import asyncio
from pathlib import Path

import pytest
from browsing import tab

from pipelines.report.make import ReportResult


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (420, True)])
def test_page_opens_without_a_request_or_a_complaint(
    study_report: tuple[Path, ReportResult], tmp_path: Path, width: int, dark: bool
) -> None:
    page = study_report[1].page

    async def look() -> None:
        async with tab(tmp_path / "profile") as browser:
            await browser.open(page, width, dark)
            assert browser.requests() == [page.resolve().as_uri()]
            assert browser.complaints() == []
            curve = "document.querySelector('#curves svg')"
            assert await browser.value(f"{curve}.getBoundingClientRect().width") > 250
            assert await browser.value(f"[...{curve}.querySelectorAll('text')].some(t => t.textContent === 'alpha')")
            assert await browser.value("document.documentElement.scrollWidth") <= width
            assert await browser.value("document.querySelectorAll('.game').length") == 6
            await browser.value("document.querySelector('.game').open = true")
            assert await browser.value("document.querySelector('.transcript').innerText.includes('Is it a loss? (1)')")
            assert await browser.value("document.querySelector('.transcript li').getBoundingClientRect().height") > 10
            assert await browser.value("document.documentElement.scrollWidth") <= width
            ground = await browser.value("getComputedStyle(document.body).backgroundColor")
            assert ground == ("rgb(18, 21, 25)" if dark else "rgb(245, 244, 240)")

    asyncio.run(look())
