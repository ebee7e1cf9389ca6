#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds each schema to its corpus, to which schema_test.cpp holds the reader.

Needs Debian's python3-jsonschema.
"""

import json
import sys
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
POLICIES = HERE.parents[2] / "policies"
CORPORA = {"policy.schema.json": "schema_corpus.txt", "experiment.schema.json": "experiment_corpus.txt"}
# "beyond" is what a schema cannot say: it takes what the reader refuses.
SHOULD_HOLD = {"valid": True, "beyond": True, "invalid": False}


def judge(schema_name, corpus):
    schema = json.loads((POLICIES / schema_name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = checked = 0
    for number, line in enumerate((HERE / corpus).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        verdict, text = line.split(maxsplit=1)
        checked += 1
        if validator.is_valid(json.loads(text)) != SHOULD_HOLD[verdict]:
            print(f"{corpus}:{number}: the schema {'refuses' if SHOULD_HOLD[verdict] else 'takes'} {text}")
            wrong += 1
    print(f"{corpus}: {checked} documents, {wrong} judged wrongly")
    return wrong or not checked


def main():
    return any([judge(schema, corpus) for schema, corpus in CORPORA.items()])


if __name__ == "__main__":
    sys.exit(main())
