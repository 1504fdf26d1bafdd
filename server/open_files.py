"""Every connection is an open file, and the system allows a process few of them by default."""

from __future__ import annotations

import sys

if sys.platform != "win32":  # which has no such limit
    import resource


def allow_open_files(wanted: int) -> int:
    """Raises the process's limit as far as it may and as is wanted; how many there may be now."""
    if sys.platform == "win32":
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = wanted
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = max(soft, min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else soft
