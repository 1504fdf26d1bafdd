"""The log, to the byte, and its digest."""

from __future__ import annotations

import hashlib
import json

from engine import EVENT_FIELDS, Battle, Event, event_line, event_object
from engine.events import REVIVAL_LINE_FIELDS
from tests.engine.samples import fought, own_cards
from tests.engine.stage import (
    B_FIRST,
    EVERY_TICK,
    Json,
    battle_object,
    card,
    caster,
    do,
    dummy,
    fight,
    on,
    read_setup,
    striker,
)
from tests.engine.test_cases import CASES

WHOLE = """\
{"tick":0,"batch":null,"kind":"battle_start","initiative":"a","units":[\
{"id":"a0","cell":2,"card":"骨 \\"x\\"","runes":[],"focus":"any","keywords":["phylactery"],\
"vessels":1,"progress":0,"vitality":4,"max_vitality":4,"power":0,"speed":0,"armor":0,"ward":1},\
{"id":"b0","cell":0,"card":"striker","runes":[],"focus":"weakest","keywords":[],\
"vessels":0,"progress":0,"vitality":9,"max_vitality":9,"power":5,"speed":500,"armor":0,"ward":0}]}
{"tick":2,"batch":1,"kind":"activation","unit":"b0","nested":false}
{"tick":2,"batch":1,"kind":"strike","unit":"b0","target":"a0"}
{"tick":2,"batch":1,"kind":"damage","unit":"a0","source":"b0","amount":4,"absorbed":1,"vitality":0}
{"tick":2,"batch":1,"kind":"death","unit":"a0","cell":2,"killer":"b0","sweep":false}
{"tick":2,"batch":1,"kind":"vessel_spent","unit":"a0","vessels":0,"progress":0}
{"tick":2,"batch":1,"kind":"revival","unit":"a0","cause":"phylactery","cell":2,"killer":"b0",\
"incarnation":1,"vitality":4,"max_vitality":4,"power":0,"speed":0,"armor":0,"ward":1}
{"tick":2,"batch":1,"kind":"line","unit":"a0","on":"revived","source":"骨 \\"x\\"","index":0,\
"revived":"a0","cause":"phylactery","killer":"b0"}
{"tick":2,"batch":1,"kind":"status","unit":"b0","source":"a0","status":"dread","amount":1,"total":1}
{"tick":2,"batch":1,"kind":"vessel_points","side":"a","raw":1,"points":3,"units":["a0"]}
{"tick":2,"batch":1,"kind":"vessel","unit":"a0","vessels":0,"progress":3}
{"tick":3,"batch":null,"kind":"death","unit":"a0","cell":2,"killer":null,"sweep":true}
{"tick":3,"batch":null,"kind":"death","unit":"b0","cell":0,"killer":null,"sweep":true}
"""


def whole() -> Json:
    fear = on("revived", do("dread", "killer", stacks=1))
    bearer = card('骨 "x"', fear, vitality=4, ward=1, keywords=["phylactery"])
    foe = striker(5, vitality=9, speed=500)
    return battle_object({2: bearer}, {0: foe}, time_limit=3)


def test_log_is_compact_json_lines_in_the_order_of_the_table() -> None:
    battle = Battle(read_setup(whole()))
    battle.run()
    digest = hashlib.sha256(WHOLE.encode("utf-8")).hexdigest()[:32]
    assert battle.log().decode("utf-8") == WHOLE + (
        '{"tick":3,"batch":null,"kind":"battle_end","winner":null,"reason":"timeout",'
        f'"digest":"{digest}"}}\n'
    )


def test_log_digest_is_of_every_line_before_the_end() -> None:
    battle = Battle(read_setup(whole()))
    result = battle.run()
    lines = battle.log().splitlines(keepends=True)
    assert json.loads(lines[-1])["digest"] == result.digest
    assert result.digest == hashlib.sha256(b"".join(lines[:-1])).hexdigest()[:32]


def test_log_lines_of_a_revival_say_three_things_more() -> None:
    friend = card("friend", on("ally_revived", do("ward", amount=1)))
    bearer = card("bearer", on("death", do("ward", "allies", amount=1)), vitality=5)
    bearer |= {"keywords": ["phylactery"]}
    story = fight({0: bearer, 1: friend}, {0: striker(5)}, until=10)
    plain, allied = story.all("line")
    head = ["tick", "batch", "kind", *EVENT_FIELDS["line"]]
    assert list(plain) == head
    assert list(allied) == [*head, *REVIVAL_LINE_FIELDS]
    assert REVIVAL_LINE_FIELDS == ("revived", "cause", "killer")


def test_log_line_is_not_escaped_beyond_what_json_demands() -> None:
    event = Event(1, 7, "grant", ('é骨"\\\x7f\u2028', "a/b", None))
    assert event_line(event) == (
        '{"tick":1,"batch":7,"kind":"grant",'
        '"unit":"é骨\\"\\\\\x7f\u2028","keyword":"a/b","until":null}\n'
    )
    for text in ("", "0", "null", "true", '"', "\t"):
        line = event_line(Event(1, None, "grant_end", (text, text)))
        assert json.loads(line)["unit"] == json.loads(line)["keyword"] == text


def test_log_line_does_not_depend_on_what_was_written_before() -> None:
    numbers = (1, True, 0, False, -1, 300, 2, 255, 256, 10**20)
    texts = (str(number) for number in range(5_000))  # more than are kept
    for value in (*numbers, None, *texts, *numbers, "0", "1"):
        event = Event(1, None, "charge", ("a0", value, value))
        plain = json.dumps(event_object(event), separators=(",", ":"))
        assert event_line(event) == f"{plain}\n"


def test_log_outside_a_batch_says_null() -> None:
    buff = do("buff", "self", stat="power", amount=1, seconds=0.1)
    fire = do("burn", "self", stacks=2)
    starts = card("starts", on("battle_start", fire, buff, do("freeze", "self", seconds=0.1)))
    story = fight({0: starts}, {0: dummy()}, time_limit=20)
    outside = [event["kind"] for event in story.events if event["batch"] is None]
    assert outside == [
        "battle_start",
        "stat",
        "status_end",
        "damage",
        "status",
        "death",
        "death",
        "battle_end",
    ]


def test_log_batch_0_is_the_battle_start_pass_even_if_nothing_fires() -> None:
    story = fight({0: striker(1)}, {0: dummy()}, until=10)
    assert story.one("activation")["batch"] == 1


def test_log_has_nothing_of_what_changes_nothing_but_damage_freeze_and_lines() -> None:
    nothing = (
        do("heal", amount=9),
        do("ward", amount=0),
        do("dread", "self", stacks=0),
        do("buff", stat="power", amount=0),
        do("quicken", speed=0),
        do("charge", amount=-5),
        do("cleanse"),
    )
    logged = (
        do("damage", amount=0),
        do("freeze", "self", seconds=2),
        do("freeze", "self", seconds=1),
    )
    starts = card("starts", on("battle_start", *nothing), on("battle_start", *logged))
    story = fight({0: starts}, {0: dummy()}, until=0)
    assert [event["kind"] for event in story.events[1:]] == [
        "line",
        "line",
        "damage",
        "status",
        "status",
        "vessel_points",
    ]


def test_log_of_damage_that_a_lethal_line_answers() -> None:
    lethal = on("lethal", do("endure", vitality=2), once="life")
    story = fight({0: striker(9)}, {0: card("defiant", lethal, vitality=5)}, until=10)
    story.saw(
        {"kind": "damage", "amount": 5, "vitality": 0},
        {"kind": "line", "on": "lethal"},
        {"kind": "endure", "vitality": 2},
    )


def test_log_at_a_batchs_end_has_side_a_first_each_with_its_takers_in_order() -> None:
    vault = dummy("vault", keywords=["phylactery"])
    answer = card("answer", on("hurt", do("dread", "attacker", stacks=1)), keywords=["phylactery"])
    brave = striker(1, on("hit", do("dread", "target", stacks=1)), focus="front")
    half = {0: brave, 4: vault, 2: vault}
    story = fight({1: answer, 5: vault}, half, seed=B_FIRST, until=10)
    assert story.on_tick(10)[-6:] == [
        ("vessel_points", None),
        ("vessel", "a0"),
        ("vessel", "a1"),
        ("vessel_points", None),
        ("vessel", "b1"),
        ("vessel", "b2"),
    ]
    assert [e["side"] for e in story.all("vessel_points")] == ["a", "b"]


def test_log_of_the_endings_of_one_unit_and_tick_is_in_the_order_they_were_set() -> None:
    effects = (
        do("buff", "self", stat="power", amount=1, seconds=1),
        do("freeze", "self", seconds=0.5),
        do("grant", "self", keyword="rabid", seconds=1),
        do("buff", "self", stat="armor", amount=1, seconds=1),
        do("freeze", "self", seconds=1),
    )
    story = fight({0: card("s", on("battle_start", *effects))}, {0: dummy()}, until=20)
    assert [kind for kind, _ in story.on_tick(20)] == ["stat", "grant_end", "stat", "status_end"]


def test_log_has_every_kind_of_the_table_in_its_fields() -> None:
    cases = [json.loads(path.read_bytes())["battle"] for path in CASES]
    seen: set[str] = set()
    for setup in [*map(read_setup, cases), *map(own_cards, range(40))]:
        for line in fought(setup).log().decode().splitlines():
            event = json.loads(line)
            assert line == json.dumps(event, separators=(",", ":"), ensure_ascii=False)
            fields = EVENT_FIELDS[event["kind"]]
            if event.get("on") in ("revived", "ally_revived"):
                fields += REVIVAL_LINE_FIELDS
            assert tuple(event) == ("tick", "batch", "kind", *fields)
            seen.add(event["kind"])
    assert seen == set(EVENT_FIELDS)


def test_log_of_a_sum_past_53_bits_has_it_in_full() -> None:
    billion = 1_000_000_000  # the most that one number may be
    faster = do("buff", stat="speed", amount=billion)
    effects = (*[faster] * 50, do("charge", amount=-1))
    story = fight({0: caster(*effects, speed=EVERY_TICK)}, {0: dummy()}, until=700)
    last = story.all("charge")[-1]
    # It gains 50 of them more on each tick but the first, and loses 1, as soon as it has any.
    assert last["charge"] == 50 * billion * (700 * 699 // 2) - 699
    assert last["charge"] > 2**53
    assert f'"charge":{last["charge"]}}}\n'.encode() in story.battle.log()
