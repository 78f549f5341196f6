"""`course.py links`: links that open the course elsewhere, made from its public address.

Binder's form of an address depends on the host; the rules are those of BinderHub's providers. A hub
pulls by nbgitpuller, which names the folder by the last part of the address. GitHub Pages has the
site, put there by .github/workflows/course.yml.
"""

import argparse
import html
import re
import urllib.parse
from typing import NamedTuple

from .ground import PYTHON, ROOT, Problem

BINDER = "https://mybinder.org"
BADGE = f"{BINDER}/badge_logo.svg"
TOUR = "notebooks/tour.ipynb"
# The layout that postBuild imports: the tour in front, the files beside it. The path after it
# opens the tour where that layout isn't known, too.
TOUR_PAGE = f"lab/workspaces/tour/tree/{TOUR}"
SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+\.[\w-]+):(?!//)(.+)")  # git@example.org:owner/name.git
INSIDE = {"blob", "tree", "-", "src", "branch", "commit", "raw"}  # begins a page of a repository
NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[/.-]|[/.]$|\.lock$|^$")


class Repository(NamedTuple):
    """A public repository. path: its parts, such as ("owner", "name"), without `.git`.

    git: what its address ended in: ".git" or "".
    """

    scheme: str
    host: str
    path: tuple[str, ...]
    git: str

    @property
    def address(self) -> str:
        """Where a browser finds it, and git."""
        return f"{self.scheme}://{self.host}/{'/'.join(self.path)}{self.git}"

    @property
    def name(self) -> str:
        """Its own name, which is that of the folder of a clone."""
        return self.path[-1]


def run(options: argparse.Namespace) -> int:
    """Print the links; return 0.

    Raises Problem where an address, a branch or a lesson is none.
    """
    repository = repository_of(options.address)
    branch = branch_of(options.branch)
    lessons = {number.zfill(2): lesson_file(number) for number in options.lesson}
    print("\n\n".join(paragraphs(repository, branch, lessons, options.hub and hub_of(options.hub))))
    return 0


def paragraphs(
    repository: Repository, branch: str | None, lessons: dict[str, str], hub: str | None
) -> list[str]:
    """What is printed, in parts.

    branch: None for the repository's own.  lessons: their notebooks by their numbers.
    hub: the address of a JupyterHub, if there is one.
    """
    tour = binder(repository, branch, TOUR_PAGE)
    words = "Open the tour on Binder"
    told = [
        _titled("The tour on Binder", tour),
        _titled("Its badge, in Markdown", f"[![{words}]({BADGE})]({tour})"),
        _titled("Its badge, in HTML", _badge(tour, words)),
    ]
    for number, file in lessons.items():
        told.append(_titled(f"Lesson {number} on Binder", binder(repository, branch, _page(file))))
    if hub:
        for what, file in {"The tour": TOUR, **_named(lessons)}.items():
            link = from_hub(hub, repository, branch, file)
            told.append(_titled(f"{what} on the hub, which needs nbgitpuller", link))
    if site := site_of(repository):
        told.append(_titled("The site, once the workflow course.yml has published it", site))
    else:
        told.append(
            "The workflow course.yml publishes the site from GitHub alone; elsewhere, publish the "
            f"folder site/_build/html after: {PYTHON} course.py site"
        )
    return told


def binder(repository: Repository, branch: str | None, page: str) -> str:
    """The link that opens a page of JupyterLab on mybinder.org.

    page: such as "lab/tree/notebooks/tour.ipynb".
    """
    ref = branch or "HEAD"
    if repository.host == "github.com":
        where = f"gh/{_quoted('/'.join(repository.path), safe='/')}/{_quoted(ref, safe='/')}"
    elif repository.host == "gitlab.com":
        where = f"gl/{_quoted('/'.join(repository.path))}/{_quoted(ref)}"
    else:
        where = f"git/{_quoted(repository.address)}/{_quoted(ref)}"
    return f"{BINDER}/v2/{where}?urlpath={_quoted(page)}"


def from_hub(hub: str, repository: Repository, branch: str | None, file: str) -> str:
    """The link that pulls the repository into a learner's home on a hub, and opens a file of it."""
    asked = {"repo": repository.address}
    if branch:  # without, nbgitpuller asks the repository for its own
        asked["branch"] = branch
    asked["urlpath"] = _page(f"{repository.name}/{file}")
    if repository.git:  # nbgitpuller would name the folder with it
        asked["targetpath"] = repository.name
    query = urllib.parse.urlencode(asked, quote_via=urllib.parse.quote, safe="")
    return f"{hub}/hub/user-redirect/git-pull?{query}"


def site_of(repository: Repository) -> str | None:
    """The address of the repository's GitHub Pages; None for one that isn't on GitHub."""
    if repository.host != "github.com":
        return None
    owner, name = repository.path
    pages = f"{owner.lower()}.github.io"
    return f"https://{pages}/" if name.lower() == pages else f"https://{pages}/{_quoted(name)}/"


def repository_of(address: str) -> Repository:
    """Read an address as git or a browser has it. Raises Problem where it is no public one."""
    text = address.strip()
    if found := SCP.fullmatch(text):
        text = f"ssh://{found[1]}/{found[2]}"
    elif "://" not in text and re.match(r"[\w-]+(\.[\w-]+)+/", text):
        text = f"https://{text}"
    url = _split(text, ("http", "https", "ssh", "git"))
    if url is None:
        raise Problem(
            f"'{address}' is not the address of a repository, such as https://github.com/owner/name"
        )
    web = url.scheme in ("http", "https")
    if url.password is not None or (web and url.username is not None):
        raise Problem("the address holds a user name or a password: take it out, links are public")
    path = tuple(urllib.parse.unquote(part) for part in url.path.split("/") if part)
    if INSIDE.intersection(path[2:]) or url.query or url.fragment:
        raise Problem(
            f"'{address}' is a page of a repository; give the repository's own address, "
            "and a branch with --branch"
        )
    host = url.hostname.removeprefix("www.") + (f":{url.port}" if web and url.port else "")
    if len(path) < 2 or (host == "github.com" and len(path) > 2):
        raise Problem(f"'{address}' names no repository: it takes an owner and a name")
    if "." not in host or host.startswith("127."):
        raise Problem(f"nobody else reaches '{host}': give the repository's public address")
    git = ".git" if path[-1].endswith(".git") else ""
    path = (*path[:-1], path[-1].removesuffix(".git"))
    if host in ("github.com", "gitlab.com"):
        git = ""  # there git does without it
    return Repository(url.scheme if web else "https", host, path, git)


def hub_of(address: str) -> str:
    """A JupyterHub's address, without what follows it. Raises Problem where it is none."""
    url = _split(address.strip(), ("http", "https"))
    if url is None:
        raise Problem(f"'{address}' is not the address of a hub, such as https://hub.example.org")
    base = re.split(r"/(?:hub|user)(?:/|$)", url.path)[0].rstrip("/")
    return f"{url.scheme}://{url.netloc}{base}"


def branch_of(branch: str | None) -> str | None:
    """The branch, if there can be one of this name; else Problem."""
    if branch is not None and NO_BRANCH.search(branch):
        raise Problem(f"no branch can have the name '{branch}'")
    return branch


def lesson_file(number: str) -> str:
    """The path of the lesson's notebook. Raises Problem where there is no such lesson."""
    there = {path.name[:2]: path.name for path in ROOT.glob("notebooks/[0-9][0-9]_*.ipynb")}
    if number.zfill(2) not in there:
        raise Problem(f"there is no lesson '{number}': they are {min(there)} to {max(there)}")
    return f"notebooks/{there[number.zfill(2)]}"


def _split(text, schemes):
    """The parts of an address with a host and one of these schemes; None for anything else."""
    try:
        url = urllib.parse.urlsplit(text)
        url.port  # noqa: B018 (this raises where the port is no number)
    except ValueError:
        return None
    return url if url.scheme in schemes and url.hostname else None


def _named(lessons):
    return {f"Lesson {number}": file for number, file in lessons.items()}


def _page(file):
    return f"lab/tree/{file}"


def _quoted(text, safe=""):
    return urllib.parse.quote(text, safe=safe)


def _badge(link, words):
    return f'<a href="{html.escape(link)}"><img src="{BADGE}" alt="{html.escape(words)}"></a>'


def _titled(title, link):
    return f"{title}:\n{link}"
