#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A policy compared with itself on a simulated EPYC 9965, again and again from seeds: how often is that called better?

    same_arms.py FOLDER-OF-PROGRAMS [RUNS [FIRST-SEED]]

Ends with 1 where more than 5 % of the runs do, or one of them fails.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GEN13 = ROOT / "examples/gen13"
MOST_SHARE = 0.05
PATIENCE = 120  # seconds; a run takes about five


def experiment(seed):
    base = GEN13 / "no-isolation.json"
    page = "http://127.0.0.1:19101/metrics"
    return {
        "experiment": 1, "name": "same", "summary": "The same policy twice",
        "arms": {"one": {"policy": str(base)}, "other": {"policy": str(base), "on_enter": {"command": ["true"]}}},
        "control": "one",
        "metrics": {
            "throughput": {"page": page, "rate": "proxy_requests_total", "per": "simulated_seconds_total", "better": "higher"},
            "p99": {"page": page, "quantile": 0.99, "of": "proxy_request_duration_seconds", "better": "lower"}},
        "primary": {"metric": "throughput", "smallest_effect": "1%"}, "guards": {"p99": "10%"},
        "window": "100ms", "washout": "20ms", "blocks": {"least": 3, "most": 10}, "seed": seed}


def run(programs, seed, folder):
    file = folder / "same.json"
    file.write_text(json.dumps(experiment(seed)))
    inside = 'echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control && exec bulkhead experiment run "$1" --yes --output "$2" >/dev/null'
    subprocess.run([programs / "bulkhead-sim", "epyc-9965-nps2", "--services", GEN13 / "host/services.json", "--speed", "300",
                    "--seed", str(seed), "--", "sh", "-c", inside, "run", file, folder], check=True, timeout=PATIENCE,
                   env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, stderr=subprocess.DEVNULL)
    return json.loads((folder / "same.result.json").read_text())


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    runs, first = (int(word) for word in (sys.argv[2:] + ["200", "1"][len(sys.argv) - 2:]))
    verdicts, changes = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + runs):
            candidate = run(programs, seed, pathlib.Path(folder))["candidates"][0]
            verdicts[candidate["verdict"]] += 1
            if candidate["estimates"][0]["change"] is not None:
                changes.append(candidate["estimates"][0]["change"])
            if candidate["verdict"] == "adopt":
                print(f"seed {seed}: {candidate['reason']}", flush=True)
    deviation = (sum(change * change for change in changes) / len(changes)) ** 0.5
    print(f"{runs} comparisons of a policy with itself: " + ", ".join(f"{name} {count}" for name, count in sorted(verdicts.items())) +
          f"; the change found is 0 +- {100 * deviation:.2f} %")
    return verdicts["adopt"] > MOST_SHARE * runs


if __name__ == "__main__":
    sys.exit(main())
