"""Writes the golden digests again, or compares them: `python -m tests.engine.golden [--check]`.

Write them when the rules, or the base set that the sample boards are of, were meant to change; a
diff of `digests.json` then shows which battles did. It prints how many are new. `--check` needs
nothing installed, so that any Python can be held against them; exit status 1 where one differs.
"""

from __future__ import annotations

import json
import sys

from tests.engine.golden.digests import PATH, digests


def main() -> int:
    old = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    new = digests()
    changed = [
        f"{group}: {name}"
        for group, battles in new.items()
        for name, digest in battles.items()
        if digest != old.get(group, {}).get(name)
    ]
    total = sum(map(len, new.values()))
    if "--check" in sys.argv[1:]:
        print("\n".join([*changed, f"{total - len(changed)} of {total} digests are golden"]))
        return bool(changed)
    PATH.write_text(json.dumps(new, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(changed)} of {total} digests are new: {PATH}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
