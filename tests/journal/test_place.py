"""A data file is found by whatever leads to it, and what is no file stays as it is."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from server.journal.file import JournalRefused, open_journal
from server.journal.records import PutRoom
from server.journal.store import Most, open_store
from tests.journal import records as made

MOST = Most(replays=3, boards=3, closed=3)


def refused(path: Path) -> str:
    """The sentence with which it is refused; in its folder all is as it was."""
    before = listed(path.parent)
    with pytest.raises(JournalRefused) as said:
        open_journal(str(path))
    assert listed(path.parent) == before
    assert str(said.value).startswith(f"cannot open {path}: ")
    assert str(said.value).isprintable()
    return str(said.value)


def listed(folder: Path) -> list[tuple[str, int, int]]:
    """Name, number and kind of all that is in it."""
    found = ((one.name, one.lstat()) for one in folder.iterdir())
    return sorted((name, at.st_ino, at.st_mode) for name, at in found)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


KINDS: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": a_socket,
}


@pytest.mark.parametrize("by_link", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, by_link: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name is short
    KINDS[kind](Path("one"))
    (tmp_path / "link").symlink_to("one")
    assert f"it is {kind}, not a file" in refused(tmp_path / ("link" if by_link else "one"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_refused_and_stays(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "null", 0o20666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("nor does root here")
    assert "it is a device, not a file" in refused(tmp_path / "null")


def test_a_journal_is_made_where_a_link_leads(tmp_path: Path) -> None:
    """Over more than one, the last of them relative."""
    volume = tmp_path / "volume"
    volume.mkdir()
    first, second = tmp_path / "first", tmp_path / "second"
    first.symlink_to(second)
    second.symlink_to("volume/data.db")
    store = open_store(str(first), MOST)
    store.apply([PutRoom(made.room())])
    store.close()
    assert first.is_symlink()
    assert second.is_symlink()
    assert sorted(tmp_path.iterdir()) == [first, second, volume]
    store = open_store(str(volume / "data.db"), MOST)
    assert [kept.record for kept in store.load().rooms] == [made.room()]
    store.close()


def test_an_empty_file_that_a_link_leads_to_becomes_a_journal(tmp_path: Path) -> None:
    file, link = tmp_path / "data.db", tmp_path / "link"
    file.touch()
    link.symlink_to(file)
    open_journal(str(link)).close()
    assert link.is_symlink()
    assert file.stat().st_size


def test_a_link_into_a_folder_that_is_not_there_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "volume" / "data.db")
    assert f"there is no folder {tmp_path / 'volume'}" in refused(tmp_path / "link")


def test_a_link_that_leads_in_a_circle_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("other")
    (tmp_path / "other").symlink_to("link")
    refused(tmp_path / "link")


def test_a_second_server_is_refused_whatever_leads_it_there(tmp_path: Path) -> None:
    folder, moved = tmp_path / "folder", tmp_path / "moved"
    folder.mkdir()
    moved.symlink_to(folder)
    link = tmp_path / "link"
    link.symlink_to(folder / "data.db")
    for first, second in ((folder / "data.db", link), (link, moved / "data.db")):
        opened = open_journal(str(first))
        with pytest.raises(JournalRefused, match="another server"):
            open_journal(str(second))
        opened.close()


def test_what_a_link_in_the_locks_place_leads_to_stays(tmp_path: Path) -> None:
    other = tmp_path / "diary"
    other.write_text("Dear diary")
    (tmp_path / "data.db-lock").symlink_to(other)
    refused(tmp_path / "data.db")
    assert other.read_text() == "Dear diary"
