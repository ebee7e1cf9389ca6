#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every golden plan to controller/planner/plan.schema.json, and the schema to refusing what is no plan."""

import json
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = json.loads((ROOT / "controller/planner/plan.schema.json").read_text())


def broken(plan):
    """Plans that nobody may take for one, each with one fault."""
    yield "a key too many", {**plan, "extra": 1}
    yield "no groups", {key: value for key, value in plan.items() if key != "groups"}
    yield "an unknown way to assign", {**plan, "groups": [{**plan["groups"][0], "assign": "threads"}]}
    yield "a mask with 0x", {**plan, "groups": [{**plan["groups"][0], "l3": {"0": "0xff"}}]}
    yield "a CPU list that is none", {**plan, "groups": [{**plan["groups"][0], "cpus": "0..3"}]}


def main():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft7Validator(SCHEMA)
    problems = []
    plans = []
    for path in sorted((ROOT / "tests/golden/cases").glob("*.plan")):
        text = path.read_text()
        if text.startswith("error "):
            continue
        plans.append(json.loads(text))
        problems += [f"{path.name}: {error.json_path}: {error.message}" for error in validator.iter_errors(plans[-1])]
    with_groups = next(plan for plan in plans if plan["groups"] and "l3" in plan["groups"][0])
    problems += [f"the schema accepts {fault}" for fault, plan in broken(with_groups) if validator.is_valid(plan)]
    print("\n".join(problems) or f"{len(plans)} plans keep to the schema")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
