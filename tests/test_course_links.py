"""`course.py links`: what it prints leads where it says, by the rules of those who read it."""

import re
import subprocess
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from helpers.commands import links
from helpers.commands.ground import Problem
from tests.course_copies import PYTHON, ROOT, one_line

TOUR = "notebooks/tour.ipynb"


def printed(*arguments):
    """What the command prints: {title: link}."""
    done = subprocess.run(
        [PYTHON, "course.py", "links", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(part.rstrip("\n").split(":\n", 1) for part in done.stdout.split("\n\n"))


def opened_by_binder(link):
    """(address of the repository, branch, page), as BinderHub's providers read a link."""
    url = urlsplit(link)
    assert (url.scheme, url.netloc, url.path[:4]) == ("https", "mybinder.org", "/v2/")
    provider, spec = url.path[4:].split("/", 1)
    (page,) = parse_qs(url.query)["urlpath"]
    if provider == "gh":
        owner, name, branch = spec.split("/", 2)
        return f"https://github.com/{owner}/{name}", unquote(branch), page
    where, branch = map(unquote, spec.split("/", 1))
    return f"https://gitlab.com/{where}" if provider == "gl" else where, branch, page


def opened_by_nbgitpuller(link):
    """(address, branch, page, folder of the clone), as nbgitpuller's handlers read a link."""
    asked = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
    assert set(asked) <= {"repo", "branch", "urlpath", "targetpath"}
    folder = asked.get("targetpath", asked["repo"].rstrip("/").split("/")[-1])
    return asked["repo"], asked.get("branch"), asked["urlpath"], folder


ADDRESSES = {
    "https://github.com/some-one/course": "https://github.com/some-one/course",
    "https://www.github.com/some-one/course/": "https://github.com/some-one/course",
    "https://github.com/some-one/course.git": "https://github.com/some-one/course",
    "github.com/some-one/course": "https://github.com/some-one/course",
    "git@github.com:some-one/course.git": "https://github.com/some-one/course",
    "ssh://git@github.com/some-one/course.git": "https://github.com/some-one/course",
    "https://gitlab.com/a/group/of/course.git": "https://gitlab.com/a/group/of/course",
    "https://codeberg.org/some-one/course": "https://codeberg.org/some-one/course",
    "ssh://git@git.example.org:2222/a/course.git": "https://git.example.org/a/course.git",
    "git.example.org:a/course.git": "https://git.example.org/a/course.git",
    "http://git.example.org:3000/a/course.git": "http://git.example.org:3000/a/course.git",
    "https://git.example.org/é e/course": "https://git.example.org/é e/course",
}


@pytest.mark.parametrize("given, address", ADDRESSES.items())
@pytest.mark.parametrize("branch", [None, "main", "talks/2026-#1"])
def test_binder_and_a_hub_open_the_same_repository_branch_and_notebook(given, address, branch):
    repository = links.repository_of(given)
    found = opened_by_binder(links.binder(repository, branch, f"lab/tree/{TOUR}"))
    assert found == (address, branch or "HEAD", f"lab/tree/{TOUR}")
    link = links.from_hub("https://hub.example.org", repository, branch, TOUR)
    where, wanted, page, folder = opened_by_nbgitpuller(link)
    assert (where, wanted) == (address, branch)
    assert folder == "course" and page == f"lab/tree/{folder}/{TOUR}"


def test_all_that_is_printed():
    found = printed(
        "https://github.com/Some-One/course", "--lesson", "7", "--lesson", "23", "--branch", "b"
    )
    tour = found["The tour on Binder"]
    assert opened_by_binder(tour)[2] == f"lab/workspaces/tour/tree/{TOUR}"
    assert re.fullmatch(r"\[!\[.+\]\((.+)\)\]\((.+)\)", found["Its badge, in Markdown"])[2] == tour
    html = found["Its badge, in HTML"]
    assert re.fullmatch(r'<a href="(.+)"><img src="(.+)" alt="(.+)"></a>', html)[1] == tour
    for number in "07", "23":
        _, branch, page = opened_by_binder(found[f"Lesson {number} on Binder"])
        assert branch == "b" and (ROOT / page.removeprefix("lab/tree/")).exists()
    site = [link for title, link in found.items() if title.startswith("The site")]
    assert site == ["https://some-one.github.io/course/"]
    assert not [title for title in found if "hub" in title]


def test_a_hub_is_named_by_any_of_its_pages():
    for hub in "https://hub.example.org/x", "https://hub.example.org/x/hub/home":
        found = printed("github.com/a/course", "--lesson", "05", "--hub", hub)
        pulls = [link for link in found.values() if "git-pull" in link]
        assert len(pulls) == 2
        for link in pulls:
            assert link.startswith("https://hub.example.org/x/hub/user-redirect/git-pull?repo=")


def test_the_site_of_a_repository():
    site = {
        "https://github.com/Me/course": "https://me.github.io/course/",
        "https://github.com/Me/me.github.io": "https://me.github.io/",
        "https://gitlab.com/me/course": None,
    }
    assert {given: links.site_of(links.repository_of(given)) for given in site} == site
    elsewhere = subprocess.run(
        [PYTHON, "course.py", "links", "https://gitlab.com/me/course"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout
    assert "github.io" not in elsewhere and "course.py site" in elsewhere


@pytest.mark.parametrize(
    "address, words",
    [
        ("course", "is not the address of a repository"),
        ("/home/me/course", "is not the address of a repository"),
        ("file:///home/me/course", "is not the address of a repository"),
        ("https://[::1", "is not the address of a repository"),
        ("https://github.com:x/a/b", "is not the address of a repository"),
        ("https://github.com/me", "an owner and a name"),
        ("https://github.com/me/course/tree/main", "--branch"),
        ("https://gitlab.com/me/course/-/tree/main", "--branch"),
        ("https://git.example.org/me/course/src/branch/main", "--branch"),
        ("https://github.com/me/course?tab=readme", "--branch"),
        ("http://localhost:3000/me/course", "nobody else reaches"),
        ("http://127.0.0.1/me/course", "nobody else reaches"),
        ("https://me:secret@github.com/me/course", "take it out"),
        ("https://token@github.com/me/course", "take it out"),
    ],
)
def test_what_is_no_public_address_is_told_in_a_sentence(address, words):
    with pytest.raises(Problem, match=re.escape(words)) as told:
        links.repository_of(address)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "more, words",
    [
        (["--branch", "a b"], "no branch can have the name 'a b'"),
        (["--branch", ""], "no branch can have the name ''"),
        (["--branch", "a..b"], "no branch can have"),
        (["--lesson", "24"], "no lesson '24': they are 00 to 23"),
        (["--hub", "hub"], "is not the address of a hub"),
    ],
)
def test_what_is_wrong_beside_the_address_is_told_in_one_line(more, words):
    done = subprocess.run(
        [PYTHON, "course.py", "links", "https://github.com/a/b", *more],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert words in one_line(done)
