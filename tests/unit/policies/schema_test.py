#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds policy.schema.json to schema_corpus.txt, to which schema_test.cpp holds the reader.

Needs Debian's python3-jsonschema.
"""

import json
import sys
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parents[2] / "policies" / "policy.schema.json"


def main():
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = checked = 0
    for number, line in enumerate((HERE / "schema_corpus.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        verdict, text = line.split(maxsplit=1)
        checked += 1
        # "beyond" is what a schema cannot say: it takes what the reader refuses.
        should_hold = {"valid": True, "beyond": True, "invalid": False}[verdict]
        if validator.is_valid(json.loads(text)) != should_hold:
            print(f"schema_corpus.txt:{number}: the schema {'refuses' if should_hold else 'takes'} {text}")
            wrong += 1
    print(f"{checked} policies, {wrong} judged wrongly")
    return bool(wrong) or not checked


if __name__ == "__main__":
    sys.exit(main())
