"""What each package may import, and what may not stand in the engine at all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import engine

ROOT = Path(engine.__file__).parents[1]
ENGINE = sorted((ROOT / "engine").rglob("*.py"))
PROTOCOL = sorted((ROOT / "protocol").rglob("*.py"))

# What is not named here might tell the time, draw lots, look around or reach outside. A module
# stands for all that is in it.
OF_THE_ENGINE = {
    "__future__",
    "bisect",
    "collections",
    "dataclasses",
    "decimal",
    "difflib",
    "functools",
    "hashlib",
    "json",
    "typing",
    "engine",
}
OF_THE_PROTOCOL = {
    "__future__",
    "collections",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "operator",
    "random.Random",  # that somebody else has made
    "re",
    "types",
    "typing",
    "urllib.parse",
    "engine",
    "msgspec",
    "orjson",
}
# The only files that the engine reads, and the module that reads them.
READS_FILES = {"base.py"}
TO_READ_FILES = {"importlib.resources", "tomllib"}
# The protocol's client: it alone reaches outside, or knows how that can fail.
REACHES_OUTSIDE = {"client.py", "connection.py", "trouble.py"}


def imported(tree: ast.AST) -> set[str]:
    """Everything that a module imports from elsewhere than beside it: `os`, `random.Random`."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level < 2, "the packages are flat: nothing lies above this one"
            if node.level == 0:
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def beyond(allowed: set[str], tree: ast.AST) -> list[str]:
    """What a module imports that is neither allowed nor within something that is."""
    within = tuple(f"{name}." for name in sorted(allowed))
    return sorted(n for n in imported(tree) if n not in allowed and not n.startswith(within))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def by_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_imports_nothing_but_what_is_the_same_everywhere(path: Path) -> None:
    files = TO_READ_FILES if path.name in READS_FILES else set[str]()
    assert beyond(OF_THE_ENGINE | files, parsed(path)) == []


@pytest.mark.parametrize("path", PROTOCOL, ids=by_name)
def test_layer_protocol_never_imports_the_server(path: Path) -> None:
    tops = {name.split(".")[0] for name in imported(parsed(path))}
    assert not tops & {"server", "tests"}


@pytest.mark.parametrize("path", PROTOCOL, ids=by_name)
def test_layer_protocol_reaches_outside_in_its_client_alone(path: Path) -> None:
    if path.name not in REACHES_OUTSIDE:
        assert beyond(OF_THE_PROTOCOL, parsed(path)) == []
        assert not calls(parsed(path)) & {"open", "input", "print"}


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_has_no_floats(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), where
        if path.name not in READS_FILES:  # there, / joins paths
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), where
        assert not (isinstance(node, ast.Name) and node.id in ("float", "round")), where


def calls(tree: ast.AST) -> set[str]:
    """The plain names that a module calls."""
    made = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {called.id for called in made if isinstance(called, ast.Name)}


@pytest.mark.parametrize("path", ENGINE, ids=by_name)
def test_layer_engine_asks_no_identity_hash_or_clock(path: Path) -> None:
    never = {"id", "hash", "open", "input", "print", "eval", "exec", "__import__"}
    assert not calls(parsed(path)) & never


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
    assert imported(tree) == {"os.path", "random.Random"}
    assert beyond({"os"}, tree) == ["random.Random"]
    assert beyond({"os.pat", "random.Random"}, tree) == ["os.path"]
    assert calls(tree) == {"list", "set"}
    assert [is_set(node, sets_of(tree)) for node in iterated(tree)] == [True]
