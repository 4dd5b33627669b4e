"""The page of searches in a real browser; skipped where there is none (see test_browser)."""

import asyncio
from pathlib import Path

import pytest
from browsing import tab
from made_search_tables import one_search

from pipelines.report.make import make_report


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (420, True)])
def test_a_search_can_be_unfolded(tmp_path: Path, width: int, dark: bool) -> None:
    page = make_report([one_search(code="long " * 100).write(tmp_path / "run")]).page

    async def look() -> None:
        async with tab(tmp_path / "profile") as browser:
            await browser.open(page, width, dark)
            assert browser.requests() == [page.resolve().as_uri()]
            assert await browser.value("document.querySelector('#best svg').getBoundingClientRect().width") > 250
            await browser.value("document.querySelectorAll('details').forEach(one => { one.open = true })")
            assert await browser.value("document.documentElement.scrollWidth") <= width
            assert await browser.value("document.querySelector('.diff .add').innerText.startsWith('+long')")
            assert await browser.value("document.querySelector('.branch .story').getBoundingClientRect().height") > 400
            assert browser.complaints() == []

    asyncio.run(look())
