// SPDX-License-Identifier: Apache-2.0
#include "policies/reader.h"

#include <gtest/gtest.h>
#include <string>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

// What is said of a policy, as `bulkhead check` prints it.
std::string said_of_policy(std::string_view text) {
  return render("p.json", read_policy(text).diagnostics);
}

Policy read(std::string_view text) {
  PolicyReading reading = read_policy(text);
  EXPECT_EQ(render("p.json", reading.diagnostics), "");
  return reading.policy.value_or(Policy{});
}

// A policy whose one service has these members besides its selector.
std::string with_service(const std::string& members) {
  return R"({"bulkhead": 1, "name": "p", "services": {"web": {"select": {"comm": "web"}, )" + members + "}}}";
}
Service read_service(const std::string& members) {
  return read(with_service(members)).services.at(0);
}

TEST(Reader, reads_the_policy_of_the_manual) {
  const Policy policy = read(R"({
  // The proxy owns NUMA node 0.
  "bulkhead": 1,
  "name": "numa-6-of-12",
  "summary": "The proxy owns NUMA node 0, 6 of the 12 CCDs; all else shares node 1",
  "services": {
    "proxy":  { "select": { "unit": "proxy.service" },
                "cpus": { "nodes": "0" }, "exclusive_cpus": true, "memory": "local",
                "l3": "100%", "bandwidth": "unlimited" },
    "others": { "select": "others", "cpus": "rest" }
  }
})");
  EXPECT_EQ(policy.name, "numa-6-of-12");
  EXPECT_EQ(policy.summary, "The proxy owns NUMA node 0, 6 of the 12 CCDs; all else shares node 1");
  ASSERT_EQ(policy.services.size(), 2U);

  const Service& proxy = policy.services[0];
  EXPECT_EQ(proxy.name, "proxy");
  EXPECT_EQ(proxy.place.line, 7U);
  EXPECT_EQ(proxy.place.column, 5U);
  EXPECT_EQ(proxy.place.pointer, "/services/proxy");
  EXPECT_EQ(proxy.select.kind, SelectKind::unit);
  EXPECT_EQ(proxy.select.text, "proxy.service");
  EXPECT_EQ(proxy.cpus.choice, CpuChoice::listed);
  EXPECT_EQ(proxy.cpus.scope, CpuScope::nodes);
  EXPECT_EQ(proxy.cpus.ids, CpuSet{0});
  EXPECT_FALSE(proxy.cpus.every_id);
  EXPECT_EQ(proxy.cpus.place.line, 8U);
  EXPECT_EQ(proxy.cpus.place.column, 25U);
  EXPECT_EQ(proxy.cpus.place.pointer, "/services/proxy/cpus");
  EXPECT_TRUE(proxy.exclusive_cpus);
  EXPECT_EQ(proxy.partition, Partition::member);
  EXPECT_EQ(proxy.memory.kind, MemoryWant::Kind::local);
  EXPECT_EQ(proxy.l3.value().data, CacheAmount(Percent{10000}));
  EXPECT_EQ(proxy.bandwidth.value().memory, BandwidthAmount(Unlimited{}));
  EXPECT_EQ(proxy.assign, Assign::automatic);

  const Service& others = policy.services[1];
  EXPECT_EQ(others.select.kind, SelectKind::others);
  EXPECT_EQ(others.cpus.choice, CpuChoice::rest);
  EXPECT_FALSE(others.exclusive_cpus);
  EXPECT_FALSE(others.l3.has_value());
}

TEST(Reader, keeps_the_order_of_the_services) {
  const Policy policy = read(R"({"bulkhead": 1, "name": "p", "services": {
    "z": {"select": {"comm": "z"}}, "a": {"select": {"comm": "a"}}, "m": {"select": "others"}}})");
  ASSERT_EQ(policy.services.size(), 3U);
  EXPECT_EQ(policy.services[0].name, "z");
  EXPECT_EQ(policy.services[1].name, "a");
  EXPECT_EQ(policy.services[2].name, "m");
}

TEST(Reader, gives_the_rest_to_a_service_that_names_no_cpus) {
  const Service web = read_service("\"assign\": \"tasks\"");
  EXPECT_EQ(web.cpus.choice, CpuChoice::rest);
  EXPECT_EQ(web.cpus.place.pointer, "/services/web");
  EXPECT_EQ(web.assign, Assign::tasks);
  EXPECT_EQ(web.memory.kind, MemoryWant::Kind::unchanged);
}

TEST(Reader, reads_counts_and_what_narrows_them) {
  const CpuWant want =
      read_service(R"("cpus": {"count": {"ccds": 6}, "within": "node", "cores_per_ccd": "37.5%",
                                        "threads_per_core": 1, "thread": 1})")
          .cpus;
  EXPECT_EQ(want.choice, CpuChoice::counted);
  EXPECT_EQ(want.scope, CpuScope::ccds);
  EXPECT_EQ(want.count, 6U);
  EXPECT_EQ(want.within, CpuScope::nodes);
  EXPECT_EQ(std::get<Percent>(want.cores_per_ccd), Percent{3750});
  EXPECT_EQ(want.threads_per_core, 1U);
  EXPECT_EQ(want.thread, 1U);
}

TEST(Reader, reads_every_id_and_the_base_of_a_narrowing) {
  const CpuWant every = read_service(R"("cpus": {"ccds": "all", "cores_per_ccd": 8})").cpus;
  EXPECT_EQ(every.choice, CpuChoice::listed);
  EXPECT_TRUE(every.every_id);
  EXPECT_EQ(std::get<unsigned>(every.cores_per_ccd), 8U);
  EXPECT_EQ(read_service(R"("cpus": {"of": "all", "threads_per_core": 1})").cpus.choice, CpuChoice::all);
  EXPECT_EQ(read_service(R"("cpus": {"of": "rest", "threads_per_core": 1})").cpus.choice, CpuChoice::rest);
}

TEST(Reader, reads_all_amounts_of_cache) {
  EXPECT_EQ(read_service(R"("l3": "75%")").l3.value().data, CacheAmount(Percent{7500}));
  EXPECT_EQ(read_service(R"("l3": {"ways": 12})").l3.value().data, CacheAmount(Ways{12}));
  EXPECT_EQ(read_service(R"("l3": {"size": "24MiB"})").l3.value().data, CacheAmount(CacheSize{24U << 20}));
  EXPECT_EQ(read_service(R"("l3": {"mask": "0xf0f"})").l3.value().data, CacheAmount(WayMask{0xf0f}));
  const CacheWant split = read_service(R"("l3": {"code": "25%", "data": {"ways": 8}})").l3.value();
  EXPECT_EQ(split.code.value(), CacheAmount(Percent{2500}));
  EXPECT_EQ(split.data, CacheAmount(Ways{8}));
}

TEST(Reader, reads_all_bandwidths) {
  EXPECT_EQ(read_service(R"("bandwidth": "40GB/s")").bandwidth.value().memory,
            BandwidthAmount(Rate{40'000'000'000}));
  const BandwidthWant slow = read_service(R"("bandwidth": {"slow": "30%"})").bandwidth.value();
  EXPECT_EQ(slow.memory, BandwidthAmount(Unlimited{}));
  EXPECT_EQ(slow.slow.value(), BandwidthAmount(Percent{3000}));
}

TEST(Reader, reads_selectors_memory_nodes_and_partitions) {
  const Policy policy = read(R"({"bulkhead": 1, "name": "p", "services": {
    "a": {"select": {"pids": [7, 5]}, "memory": {"nodes": "0-1"}},
    "b": {"select": {"pidfile": "/run/b.pid"}, "cpus": {"cpus": "4-7"}, "exclusive_cpus": true, "partition": "isolated"},
    "c": {"select": {"exe": "/usr/bin/c"}}, "d": {"select": {"cgroup": "/d/*"}}}})");
  ASSERT_EQ(policy.services.size(), 4U);
  EXPECT_EQ(policy.services[0].select.pids, (std::vector<unsigned>{7, 5}));
  EXPECT_EQ(policy.services[0].memory.nodes, (CpuSet{0, 1}));
  EXPECT_EQ(policy.services[1].select.kind, SelectKind::pidfile);
  EXPECT_EQ(policy.services[1].partition, Partition::isolated);
  EXPECT_EQ(policy.services[2].select.kind, SelectKind::exe);
  EXPECT_EQ(policy.services[3].select.text, "/d/*");
}

TEST(Reader, reads_classes_and_verify) {
  const Policy policy = read(R"({"bulkhead": 1, "name": "p",
    "services": {"a": {"select": {"comm": "a"}, "class": "bulk", "l3_exclusive": true}},
    "classes": {"bulk": {"l3": {"ways": 2}, "bandwidth": "30%"}},
    "verify": {"occupancy_slack": "5%", "settle": "500ms", "max_bandwidth_overshoot": "0%"}})");
  ASSERT_NE(policy.find_class("bulk"), nullptr);
  EXPECT_EQ(policy.find_class("bulk")->l3.value().data, CacheAmount(Ways{2}));
  EXPECT_EQ(policy.find_class("bluk"), nullptr);
  EXPECT_EQ(policy.services.at(0).service_class, "bulk");
  EXPECT_TRUE(policy.services.at(0).l3_exclusive);
  EXPECT_EQ(policy.verify.occupancy_slack, Percent{500});
  EXPECT_EQ(policy.verify.settle, milliseconds(500));
  EXPECT_EQ(policy.verify.max_bandwidth_overshoot, Percent{0});
}

TEST(Reader, reports_all_problems_in_the_order_of_the_document) {
  EXPECT_EQ(
      said_of_policy(R"({
  "services": {
    "web": {"select": {"unit": "web"}, "l3": 50, "class": "fast", "cpus": {"nodes": 0}},
    "db": {"select": {"unit": "db.service"}, "exclusive_cpus": "yes"}
  },
  "bulkhead": 3,
  "Verify": {}
})"),
      "p.json:1:1: the key \"name\" is missing: add \"name\": \"numa-6-of-12\"\n"
      "p.json:3:32: /services/web/select/unit: \"web\" is not the full name of a unit: write "
      "\"web.service\", .scope or .slice\n"
      "p.json:3:40: /services/web/l3: \"l3\" cannot stand beside \"class\": the class \"fast\" says how "
      "much, "
      "change it there\n"
      "p.json:3:46: /services/web/l3: 50 is not an amount of cache: write \"75%\", {\"ways\": 12}, "
      "{\"size\": "
      "\"24MiB\"} or {\"mask\": \"0xfff\"}\n"
      "p.json:3:59: /services/web/class: there is no class \"fast\": add it, as in \"classes\": {\"bulk\": "
      "{\"l3\": \"25%\"}}\n"
      "p.json:3:85: /services/web/cpus/nodes: a list of ids is a text: write \"0\"\n"
      "p.json:4:64: /services/db/exclusive_cpus: \"yes\" is not a truth value: write true or false\n"
      "p.json:6:15: /bulkhead: version 3 of the policy language is not known here: write 1\n"
      "p.json:7:3: /Verify: unknown key \"Verify\": did you mean \"verify\"?\n");
}

TEST(Reader, does_not_judge_others_where_the_selector_is_wrong) {
  EXPECT_EQ(said_of_policy(R"({"bulkhead": 1, "name": "p", "services": {
  "a": {"select": "other", "assign": "cpus", "cpus": {"nodes": "0"}, "exclusive_cpus": true},
  "b": {"select": "others"}}})"),
            "p.json:2:19: /services/a/select: \"other\" is not a selector: did you mean \"others\"?\n");
}

TEST(Reader, finds_a_pid_that_two_services_select) {
  EXPECT_EQ(said_of_policy(R"({"bulkhead": 1, "name": "p", "services": {
  "a": {"select": {"pids": [1, 2]}},
  "b": {"select": {"pids": [3, 2]}}}})"),
            "p.json:3:19: /services/b/select: the service \"a\" selects 2 already: a task belongs to one "
            "service\n");
}

TEST(Reader, says_what_would_fit_where_a_count_lies_within_too_little) {
  EXPECT_EQ(
      said_of_policy(with_service(R"("cpus": {"count": {"nodes": 1}, "within": "ccd"})")),
      "p.json:1:120: /services/web/cpus/within: 1 node cannot lie within one ccd: write \"socket\", or leave "
      "\"within\" out\n");
  EXPECT_EQ(said_of_policy(with_service(R"("cpus": {"count": {"sockets": 2}, "within": "socket"})")),
            "p.json:1:122: /services/web/cpus/within: 2 sockets cannot lie within one socket: leave "
            "\"within\" out\n");
  EXPECT_EQ(said_of_policy(with_service(R"("cpus": {"count": {"ccds": 1}, "within": "ccd"})")), "");
}

TEST(Reader, lets_a_share_of_all_cpus_be_exclusive) {
  EXPECT_EQ(said_of_policy(
                with_service(R"("cpus": {"of": "all", "cores_per_ccd": "50%"}, "exclusive_cpus": true)")),
            "");
}

TEST(Reader, needs_an_object) {
  EXPECT_EQ(said_of_policy("[]"),
            "p.json:1:1: an empty array is not a policy: write {\"bulkhead\": 1, \"name\": ..., "
            "\"services\": {...}}\n");
  EXPECT_EQ(said_of_policy("7"),
            "p.json:1:1: 7 is not a policy: write {\"bulkhead\": 1, \"name\": ..., \"services\": {...}}\n");
}

TEST(RequirePolicy, throws_the_first_problem_with_its_place) {
  try {
    require_policy("{\"bulkhead\": 1,\n \"name\": \"p\", \"services\": {}, \"x\": 1}", "/etc/p.json");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_EQ(error.detail().file, "/etc/p.json");
    EXPECT_EQ(error.detail().line, 2U);
    EXPECT_EQ(error.detail().column, 27U);
    EXPECT_EQ(error.detail().pointer, "/services");
    EXPECT_EQ(error.detail().message,
              "a policy without services isolates nothing: add one, {\"proxy\": {\"select\": {\"unit\": "
              "\"proxy.service\"}}} (and 1 more)");
  }
}

TEST(RequirePolicy, returns_a_right_policy) {
  EXPECT_EQ(require_policy(with_service("\"l3\": \"50%\""), "p.json").services.at(0).name, "web");
}

}  // namespace
}  // namespace bulkhead
