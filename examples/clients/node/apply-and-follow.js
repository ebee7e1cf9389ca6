#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Puts a policy in force, unless somebody else changes it at the same time, and tells what happens from then on.
//   apply-and-follow.js POLICY
import {readFileSync} from "node:fs";
import {Bulkhead} from "./bulkhead.js";

const path = process.argv[2];
const bulkhead = new Bulkhead();
bulkhead.on("event", ({kind, data}) => console.log(kind, JSON.stringify(data)));
try {
  await bulkhead.call("events.subscribe",
                      {kinds: ["policy.applied", "policy.reset", "drift.found", "drift.repaired"]});
  const {policy, generation} = await bulkhead.call("policy.active");
  console.log(`was in force: ${policy ?? "nothing"}, generation ${generation}`);
  // Here a program would decide whether it wants to replace that.
  const done = await bulkhead.call(
      "policy.apply", {text: readFileSync(path, "utf8"), name: path, if_generation: generation});
  console.log(`in force: ${done.policy}, generation ${done.generation}`);
} catch (error) {
  console.error(`${error.data?.code ?? "failed"}: ${error.message}`);
  process.exitCode = 1;
  bulkhead.close();
}
