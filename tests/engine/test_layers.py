"""What each package may import, and what may not stand in the engine at all."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import engine

ROOT = Path(engine.__file__).parents[1]
ENGINE = sorted((ROOT / "engine").rglob("*.py"))
PROTOCOL = sorted((ROOT / "protocol").rglob("*.py"))

# Time, chance, the environment, the network, and whatever else could differ from run to run.
NEVER_IN_THE_ENGINE = {
    "asyncio",
    "datetime",
    "multiprocessing",
    "os",
    "platform",
    "random",
    "secrets",
    "select",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "uuid",
}
# The only files that the engine reads, and the module that reads them.
READS_FILES = {"base.py"}


def imported(tree: ast.AST) -> set[str]:
    """The top-level names of everything a module imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level < 2, "the packages are flat: nothing lies above this one"
            if node.level == 0:
                names.add((node.module or "").split(".")[0])
    return names


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def by_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_imports_the_standard_library_and_itself(path: Path) -> None:
    names = imported(parsed(path))
    assert names <= {*sys.stdlib_module_names, "engine"}
    assert not names & NEVER_IN_THE_ENGINE
    if path.name not in READS_FILES:
        assert not names & {"importlib", "io", "pathlib", "tomllib"}


@pytest.mark.parametrize("path", PROTOCOL, ids=by_name)
def test_layer_protocol_never_imports_the_server(path: Path) -> None:
    assert "server" not in imported(parsed(path))
    assert "tests" not in imported(parsed(path))


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_has_no_floats(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), where
        if path.name not in READS_FILES:  # there, / joins paths
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), where
        assert not (isinstance(node, ast.Name) and node.id in ("float", "round")), where


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_asks_no_identity_hash_or_clock(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            where = f"{path.name}:{node.lineno}"
            assert node.func.id not in ("id", "hash", "open", "input", "eval", "exec"), where


def sets_of(tree: ast.AST) -> set[str]:
    """Names that are bound to a set, as far as a module says so itself."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            if "set[" in ast.unparse(node.annotation).lower():
                names.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign) and is_set(node.value, names):
            names |= {ast.unparse(target) for target in node.targets}
    return names


def is_set(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in names


GOES_OVER = ("list", "tuple", "enumerate", "map", "zip", "iter", "next")


def iterated(tree: ast.AST) -> list[ast.expr]:
    """Everything that a module goes over in order."""
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            found.append(node.iter)
        elif isinstance(node, ast.Starred):
            found.append(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in GOES_OVER:
            found += node.args
    return found


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_never_goes_over_a_set(path: Path) -> None:
    tree = parsed(path)
    names = sets_of(tree)
    assert not [ast.unparse(node) for node in iterated(tree) if is_set(node, names)]


def test_layer_checks_see_what_they_forbid() -> None:
    tree = ast.parse("import os.path\nfrom random import Random\na: set[int] = set()\nlist(a)")
    assert imported(tree) == {"os", "random"}
    assert [is_set(node, sets_of(tree)) for node in iterated(tree)] == [True]
