"""A page taken apart by Python's own parser."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    text: str = ""


@dataclass
class Parts(HTMLParser):
    """The elements of a page, in order, with the text directly in them."""

    html: str
    elements: list[Element] = field(default_factory=list)
    open_: list[Element] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.html)
        self.close()
        self.problems += [f"{each.tag} is not closed" for each in self.open_]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len({name for name, _ in attrs}) < len(attrs):
            self.problems.append(f"{tag} has an attribute twice")
        element = Element(tag, dict(attrs))
        self.elements.append(element)
        if tag not in VOID:
            self.open_.append(element)

    def handle_endtag(self, tag: str) -> None:
        if not self.open_ or self.open_[-1].tag != tag:
            self.problems.append(f"</{tag}> closes {self.open_[-1:]}")
        else:
            self.open_.pop()

    def handle_data(self, data: str) -> None:
        for each in self.open_[-1:]:
            each.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        return [
            each
            for each in self.elements
            if each.tag == tag and attributes.items() <= each.attributes.items()
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def scripts(self) -> list[Element]:
        """Those that run."""
        return [each for each in self.all("script") if "type" not in each.attributes]

    @property
    def data(self) -> Any:
        return json.loads(self.one("script", type="application/json").text)

    @property
    def ids(self) -> list[str]:
        return [each.attributes["id"] or "" for each in self.elements if "id" in each.attributes]
