"""Reads a page as a browser would take it apart, for tests of what stands on it and what must not."""

import re
from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script><img src=http://x.test/a onerror=alert(1)>\"'&{{ 98765 * 43210 }}"
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Tags, addresses and text of a page; complains where a tag is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name.split(":")[-1] in ("src", "href", "srcset")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def assert_alone(page: Reader, html: str) -> None:
    """No script, no request, nothing from outside."""
    assert not {"script", "iframe", "object", "embed", "link", "img", "base", "form"} & set(page.tags)
    assert page.handlers == []
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?!#)", html)
