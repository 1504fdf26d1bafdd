"""Digests of battles as they have always been fought. See `tests/engine/golden/__main__.py`."""
