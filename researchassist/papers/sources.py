"""Where papers come from, in one place: arXiv, DOIs, links and web search, each by its own door."""

from dataclasses import dataclass

from researchassist.options import Options

from . import arxiv, tavily, works
from .arxiv import Arxiv
from .process import Limits
from .tavily import Tavily
from .web import Door
from .works import Works


@dataclass(frozen=True)
class Sources:
    """Everything that reaches outside. `tavily` is None where no key is set."""

    arxiv: Arxiv
    works: Works
    links: Door
    tavily: Tavily | None


def public(options: Options, tavily_key: str = "") -> Sources:
    """The real ones."""
    seconds, download, megabytes = options.web_seconds, options.download_seconds, options.file_megabytes
    feed, files = arxiv.doors(seconds, download, megabytes)
    small = min(megabytes, 20)
    return Sources(
        arxiv=Arxiv(feed, files, pause=options.arxiv_seconds),
        works=Works(Door(hosts=works.HOSTS, seconds=seconds, megabytes=small)),
        links=Door(hosts=None, seconds=download, megabytes=megabytes),
        tavily=(
            Tavily(Door(hosts=tavily.HOSTS, seconds=seconds, megabytes=small), tavily_key)
            if tavily_key
            else None
        ),
    )


def limits(options: Options) -> Limits:
    """What reading one file may take."""
    return Limits(
        megabytes=options.file_megabytes,
        seconds=options.reading_seconds,
        memory_mb=options.reading_megabytes,
        pages=options.file_pages,
        characters=options.file_characters,
    )
