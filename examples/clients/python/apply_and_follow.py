#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a policy in force, unless somebody else changes it at the same time, and tells what happens from then on.

    apply_and_follow.py POLICY
"""

import sys

from bulkhead import Bulkhead, BulkheadError


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with Bulkhead() as bulkhead:
        events = bulkhead.events("policy.applied", "policy.reset", "drift.found", "drift.repaired")
        active = bulkhead.call("policy.active")
        print(f"was in force: {active['policy'] or 'nothing'}, generation {active['generation']}")
        # Here a program would decide whether it wants to replace that.
        done = bulkhead.call("policy.apply", text=text, name=path, if_generation=active["generation"])
        print(f"in force: {done['policy']}, generation {done['generation']}", flush=True)
        for event in events:
            print(event["kind"], event["data"], flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: apply_and_follow.py POLICY")
    try:
        main(sys.argv[1])
    except BulkheadError as error:
        sys.exit(f"{error.code}: {error}")
    except OSError as error:
        sys.exit(f"bulkheadd cannot be reached: {error}")
    except KeyboardInterrupt:
        pass
