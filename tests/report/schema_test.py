# SPDX-License-Identifier: Apache-2.0
"""Holds results to controller/experiment/experiment-result.schema.json, and the schema to refusing what is no result.

    schema_test.py REPORT-SAMPLES
"""

import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = json.loads((ROOT / "controller/experiment/experiment-result.schema.json").read_text())


def objects(value):
    """Every object inside a value that the schema describes; plans and hosts have schemas of their own."""
    if isinstance(value, dict):
        yield value
        for key, inside in value.items():
            if key not in ("plan", "host", "found_policy"):
                yield from objects(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from objects(inside)


def broken(result):
    """Results that nobody may take for one, each with one fault: a key too many in each object, and one too few."""
    for at, here in enumerate(objects(result)):
        for key in [None, *here]:
            if key in ("why_none", "dropped", "dropped_arm", "search", "found"):
                continue
            other = copy.deepcopy(result)
            there = list(objects(other))[at]
            if key is None:
                there["extra"] = 1
            else:
                del there[key]
            yield f"without {key}" if key else "with a key too many", here, other


def main():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True, timeout=60)
        results = {path.stem: json.loads(path.read_text()) for path in Path(folder).glob("*.json")}
    for name, result in results.items():
        problems += [f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(result)]
    small = results["every-kind"] | {"search": results["search"]["search"]}
    for key in ("windows", "blocks", "candidates", "arms"):
        small[key] = small[key][:2]
    faults = list(broken(small))
    problems += [f"the schema accepts {json.dumps(here)[:80]} {fault}" for fault, here, other in faults if validator.is_valid(other)]
    print("\n".join(problems) or f"{len(results)} results keep to the schema, which refuses {len(faults)} others")
    return bool(problems) or len(results) < 4


if __name__ == "__main__":
    sys.exit(main())
