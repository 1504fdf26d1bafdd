"""How much may come from somebody."""

from __future__ import annotations

from server.bucket import Bucket, Buckets


def test_a_burst_at_once_and_a_rate_over_time() -> None:
    bucket = Bucket(rate=2, burst=3, now=0)
    assert [bucket.take(0) for _ in range(5)] == [True] * 3 + [False] * 2
    assert [bucket.take(1) for _ in range(3)] == [True, True, False]
    assert [bucket.take(1000) for _ in range(4)] == [True] * 3 + [False]


def test_what_counts_for_several_takes_as_many_or_none() -> None:
    bucket = Bucket(rate=1, burst=5, now=0)
    assert [bucket.take(0, tokens) for tokens in (4, 4, 1, 1)] == [True, False, True, False]
    assert bucket.take(4, 4)


def test_each_has_their_own() -> None:
    buckets = Buckets(rate=1, burst=1)
    assert buckets.take("a", 0)
    assert not buckets.take("a", 0)
    assert buckets.take("b", 0)


def test_no_more_are_remembered_than_some() -> None:
    buckets = Buckets(rate=1, burst=1, most=100)
    for number in range(1000):
        assert buckets.take(str(number), 0)
        assert buckets.take("again and again", 0) == (number == 0)
    assert len(buckets) == 100
    assert not buckets.take("again and again", 0)


def test_who_owes_waits_longer() -> None:
    bucket = Bucket(rate=1, burst=3, now=0)
    bucket.charge(0, 5)
    assert [bucket.has(2), bucket.has(3), bucket.has(6, 4)] == [False, True, False]


def test_whoever_is_only_asked_about_is_not_remembered() -> None:
    buckets = Buckets(rate=1, burst=2)
    assert buckets.has("a", 0)
    assert len(buckets) == 0
    buckets.charge("a", 0, 2)
    assert [buckets.has("a", 0), buckets.has("a", 1)] == [False, True]
