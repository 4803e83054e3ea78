# SPDX-License-Identifier: Apache-2.0
"""Documents name files that exist, link to what is there, and show their sources' drawings."""

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

TOP = Path(__file__).resolve().parent.parent
DOCS = TOP / "docs"
FIGURES = DOCS / "figures"
PAGES = sorted(DOCS.rglob("*.md")) + [
    TOP / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
]
OTHER_PAGES = [
    TOP / name / "README.md" for name in ("host-agent", "lab/testbed", "lab/onos", "lab/odl")
]
# What has to be understood before it is used.
DESCRIBED_FIRST = {
    "hygenicc.md",
    "sdn-gcc.md",
    "sed.md",
    "systems.md",
    "threat-model.md",
    "two-time-scale-law.md",
}
DRAWINGS = sorted(FIGURES.glob("*.dot"))

# A path from the top of the repository, wherever in the text it stands.
NAMED = re.compile(
    r"(?<![\w./<>*-])(?:api|app|cli|docs|host-agent|lab|web-gui|\.ci)/[\w.*/-]*[\w*]", re.ASCII
)
# What a build makes is not in the repository.
BUILT = re.compile(r"/target/|^host-agent/bin/|^docs/figures/NAME\.dot$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
TEST_NAME = re.compile(r"`([A-Z]\w+Test)`|`(Test[A-Z]\w+)`")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
# What of an SVG does not depend on the fonts and the version of whoever draws it.
CONTENT = ("class", "fill", "stroke", "stroke-width", "stroke-dasharray", "font-size")


def identifier(page):
    return str(page.relative_to(TOP))


def anchors(page):
    """The anchors that a hosted page gets from its headings."""
    found = set()
    for line in re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL).splitlines():
        if heading := re.match(r"#+ +(.*)", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=identifier)
def test_named_files_exist(page):
    named = {path for path in NAMED.findall(page.read_text()) if not BUILT.search(path)}
    missing = sorted(path for path in named if not any(TOP.glob(path.rstrip("/"))))
    assert not missing


@pytest.mark.parametrize("page", PAGES + OTHER_PAGES, ids=identifier)
def test_links_have_targets(page):
    broken = []
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=identifier)
def test_named_tests_exist(page):
    missing = []
    for java, go in TEST_NAME.findall(page.read_text()):
        if java and not any(TOP.glob(f"*/**/src/test/**/{java}.java")):
            missing.append(java)
        if go and not any(
            f"func {go}(" in source.read_text() for source in TOP.glob("host-agent/**/*_test.go")
        ):
            missing.append(go)
    assert not missing


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=identifier)
def test_sections_are_in_the_documented_order(page):
    order = ["How to use it", "What it does", "Figures"]
    if page.name in DESCRIBED_FIRST:
        order[:2] = reversed(order[:2])
    headings = re.findall(r"^## (.*)$", page.read_text(), re.MULTILINE)
    present = [heading for heading in headings if heading in order]
    assert present == [heading for heading in order if heading in present]


def code_of_series():
    sources = [
        *TOP.glob("host-agent/internal/metrics/*.go"),
        *TOP.glob("app/rest/src/main/java/org/sluice/rest/metrics/*.java"),
    ]
    return "\n".join(source.read_text() for source in sources)


@pytest.mark.parametrize("name", ["alerts.yml", "dashboard.json"])
def test_metric_names_in_documents_exist(name):
    # Java's families get their unit and `_total` when they are written.
    named = {
        re.sub(r"_total$|_bytes_per_second$", "", series)
        for series in re.findall(r"\bsluice_[a-z_]+", (DOCS / "monitoring" / name).read_text())
    }
    missing = {series for series in named if f'"{series}' not in code_of_series()}
    assert named and not missing


def content(svg):
    """What is drawn, without where."""
    return [
        (
            element.tag.rpartition("}")[2],
            *(element.get(name) for name in CONTENT),
            (element.text or "").strip(),
        )
        for element in ElementTree.fromstring(svg).iter()
    ]


@pytest.mark.parametrize("source", DRAWINGS, ids=identifier)
def test_drawings_are_those_of_their_sources(source):
    assert shutil.which("dot"), "Graphviz is missing: run lab/setup"
    drawn = subprocess.run(["dot", "-Tsvg", source], check=True, capture_output=True)
    committed = source.with_suffix(".svg").read_bytes()
    assert content(committed) == content(drawn.stdout), "run `make docs`"


def test_every_drawing_is_shown():
    pages = "".join(page.read_text() for page in PAGES)
    assert DRAWINGS
    assert [source.name for source in DRAWINGS if f"figures/{source.stem}.svg)" not in pages] == []
