"""Compiles the hot modules of engine and protocol with mypyc where a compiler is.

An installed engine is compiled; an editable one stays plain Python, so that an edit takes effect.
Where compiling fails the install goes on with plain Python, and `phylactery --version` says which
form runs. PHYLACTERY_COMPILE=0 leaves it out.
"""

import os
import sys

from setuptools import setup

# What runs in every tick; the rest runs once a battle or once a process. `snapshot` is left out:
# msgspec asks UnitState for the types of its fields, and compiled classes no longer know them.
ENGINE = (
    "activations",
    "battle",
    "board",
    "catalog",
    "chance",
    "deaths",
    "definitions",
    "effects",
    "events",
    "field",
    "lines",
    "log",
    "rules",
    "setup",
    "unit",
)
HOT = [f"engine/{name}.py" for name in ENGINE] + [
    "protocol/frames.py",
    "protocol/view.py",
    "protocol/wire_events.py",
]


def compiled() -> list:
    """The extension modules, or none."""
    if os.environ.get("PHYLACTERY_COMPILE") == "0" or "editable_wheel" in sys.argv:
        return []
    try:
        from mypyc.build import mypycify

        modules = mypycify(HOT, opt_level="3")
    except (Exception, SystemExit) as reason:  # mypyc exits on what it cannot translate
        print(f"phylactery: the engine stays plain Python: {reason}", file=sys.stderr)
        return []
    for module in modules:
        module.optional = True  # a compiler that is missing or fails stops nothing
    return modules


setup(ext_modules=compiled())
