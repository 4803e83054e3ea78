# SPDX-License-Identifier: Apache-2.0
"""Which package may import from which, and that every package documents its purpose."""

import ast
import graphlib
import sys
from pathlib import Path

import pytest

TESTBED = Path(__file__).resolve().parents[1]
PACKAGES = {
    "system": set(),
    "measure": set(),
    "programs": set(),
    "runs": {"system"},
    "network": {"system", "programs", "runs"},
    "traffic": {"system", "measure", "programs", "network"},
    "control": {"system", "network"},
    "deployment": {"system", "runs", "network", "traffic", "control"},
    "options": {"system", "network", "traffic", "control", "deployment"},
    "report": {"system", "measure"},
    "flooding": {"system", "measure", "network", "traffic", "control", "deployment", "report"},
    "turns": {"system", "measure", "programs", "network", "traffic", "report"},
}
BELOW = set(PACKAGES)
# Each experiment is a package of its own, so that no experiment grows into another one by accident.
EXPERIMENTS = {
    f"experiments.{path.parent.name}" for path in (TESTBED / "experiments").glob("*/__init__.py")
}
PACKAGES |= {"experiments": set(), **dict.fromkeys(EXPERIMENTS, BELOW)}
PACKAGES["cli"] = set(PACKAGES)


def modules():
    """{dotted name below the package: syntax tree} of all modules but the tests."""
    found = {}
    for path in TESTBED.rglob("*.py"):
        parts = path.relative_to(TESTBED).with_suffix("").parts
        if parts[0] != "tests":
            found[".".join(parts)] = ast.parse(path.read_text(encoding="utf-8"))
    return found


MODULES = modules()


def package_of(module):
    """The longest name of a package that a module is in; None for the package's own __init__."""
    return max(
        (package for package in PACKAGES if module.startswith(f"{package}.")), key=len, default=None
    )


def import_names(tree):
    """All dotted names that a module imports, as it writes them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the package"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported(tree):
    """Names of the modules that a module imports from this package."""
    names = {name.removeprefix("testbed.") for name in import_names(tree)}
    return {module for name in names for module in (name, f"{name}.__init__") if module in MODULES}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_from_its_own_and_lower_packages(module):
    package = package_of(module)
    if package is None:
        assert module == "__init__"
        assert not imported(MODULES[module])
        return
    packages = {package_of(name) for name in imported(MODULES[module])}
    assert packages <= PACKAGES[package] | {package}


def test_every_experiment_has_a_command():
    of_cases = {package_of(name) for name in imported(MODULES["cli.cases"])}
    packages = {package_of(name) for name in imported(MODULES["cli.experiments"])}
    assert packages - {"cli"} | of_cases & EXPERIMENTS == EXPERIMENTS


def test_there_are_no_import_cycles():
    imports = {module: imported(tree) for module, tree in MODULES.items()}
    tuple(graphlib.TopologicalSorter(imports).static_order())


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_every_package_documents_its_purpose(package):
    tree = MODULES[f"{package}.__init__"]
    assert len(ast.get_docstring(tree).split()) >= 5
    assert len(tree.body) == 1, "a package's __init__ holds its docstring alone"


def test_programs_need_nothing_but_python():
    for module, tree in MODULES.items():
        if package_of(module) == "programs":
            packages = {name.partition(".")[0] for name in import_names(tree)}
            assert packages <= sys.stdlib_module_names | {"testbed"}, module
