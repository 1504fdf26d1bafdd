"""The schema is made from the types, whole, and its references lead somewhere."""

from __future__ import annotations

import json
import re
from typing import get_args

from engine import EVENT_FIELDS, UNIT_FIELDS
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import AnyToClient, AnyToServer, Frame
from protocol.schema import schema, schema_bytes


def test_every_message_and_frame_is_in_it() -> None:
    found = schema()
    for name, group in {"ToServer": AnyToServer, "ToClient": AnyToClient, "Frame": Frame}.items():
        kinds = [kind.__name__ for kind in get_args(group)]
        assert found["$defs"][name]["anyOf"] == [{"$ref": f"#/$defs/{kind}"} for kind in kinds]
        for kind in kinds:
            assert kind in found["$defs"]


def test_every_reference_leads_to_a_definition() -> None:
    text = schema_bytes().decode()
    references = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', text))
    assert references
    assert references <= schema()["$defs"].keys()


def test_what_a_client_says_is_closed_and_bounded() -> None:
    parts = schema()["$defs"]
    create = parts["Create"]
    assert create["additionalProperties"] is False
    assert set(create["required"]) == {"type", "version", "name"}
    assert create["properties"]["speed"] == {"enum": [1, 2, 4], "default": 1}
    assert create["properties"]["name"]["maxLength"] == 24
    assert parts["Position"]["properties"]["tick"]["maximum"] == 2**53 - 1
    assert parts["TickFrame"]["prefixItems"][0] == {"enum": ["tick"]}


def test_its_tables_are_the_codes_own() -> None:
    tables = json.loads(schema_bytes())["x-tables"]
    assert tables["events"] == {kind: list(fields) for kind, fields in EVENT_FIELDS.items()}
    assert tables["unit_fields"] == list(UNIT_FIELDS)
    assert tables["error_codes"].keys() == set(ErrorCode)
    assert tables["close_codes"].keys() == {str(int(code)) for code in CloseCode}
