// SPDX-License-Identifier: Apache-2.0
#include "policies/keywords.h"

#include <algorithm>
#include <array>

namespace bulkhead {
namespace {

using enum Accepts;
using enum Presence;

constexpr std::string_view kCacheAmount = "an amount of cache";
constexpr std::string_view kCacheExample = R"("75%", {"ways": 12}, {"size": "24MiB"} or {"mask": "0xfff"})";
constexpr std::string_view kBandwidthAmount = "a memory bandwidth";
constexpr std::string_view kBandwidthExample = R"("unlimited", "40GB/s" or "30%")";
constexpr std::string_view kIds = "a list of ids";
constexpr std::string_view kIdsExample = R"("0-5,8" or "all")";
constexpr std::string_view kYesNo = "a truth value";
constexpr std::string_view kYesNoExample = "true or false";

constexpr std::array kPolicyKeywords{
    Keyword{"$schema", text, optional, "the address of a schema", R"("policy.schema.json")",
            "for editors; ignored"},
    Keyword{"bulkhead", number, required, "a version of the policy language", "1",
            "version of the policy language, 1"},
    Keyword{"name", text, required, "a name", R"("numa-6-of-12")",
            "name of the policy, in plans and reports"},
    Keyword{"summary", text, optional, "a text", R"("The proxy owns NUMA node 0")",
            "what the policy does, in a sentence"},
    Keyword{"services", object, required, "a set of services by name",
            R"({"proxy": {"select": {"unit": "proxy.service"}}})",
            "the services by name; the first of them is served first"},
    Keyword{"classes", object, optional, "a set of classes by name", R"({"bulk": {"l3": "25%"}})",
            "shares of cache and bandwidth by name, for services to have in common"},
    Keyword{"verify", object, optional, "a set of limits", R"({"occupancy_slack": "10%"})",
            "what counts as holding"},
};

constexpr std::array kServiceKeywords{
    Keyword{"select", text | object, required, "a selector",
            R"({"unit": "proxy.service"}, {"cgroup": "/machine.slice/*"} or "others")",
            "which tasks the service is"},
    Keyword{"cpus", text | object, optional, "a choice of CPUs",
            R"("all", "rest", {"nodes": "0"}, {"ccds": "0-5"} or {"count": {"ccds": 6}})",
            "where it may run; \"rest\" if not given"},
    Keyword{"exclusive_cpus", boolean, optional, kYesNo, kYesNoExample,
            "everybody else is kept off its CPUs"},
    Keyword{"partition", text, optional, R"(one of "member", "root" and "isolated")", R"("member")",
            "the kind of cgroup v2 cpuset partition"},
    Keyword{"memory", text | object, optional, "a choice of memory nodes",
            R"("local", "all" or {"nodes": "0-1"})", "the NUMA nodes that its memory comes from"},
    Keyword{"class", text, optional, "the name of a class", R"("bulk")",
            "takes l3 and bandwidth from a class instead of its own"},
    Keyword{"l3", text | object, optional, kCacheAmount, kCacheExample,
            "how much of each L3 cache it may fill"},
    Keyword{"l3_exclusive", boolean, optional, kYesNo, kYesNoExample,
            "every other group is kept out of its ways"},
    Keyword{"bandwidth", text | object, optional, kBandwidthAmount, kBandwidthExample,
            "how fast it may read and write memory, on each CCD"},
    Keyword{"assign", text, optional, R"(one of "auto", "cpus" and "tasks")", R"("auto")",
            "how the kernel learns who belongs to it: by CPU or by task"},
};

constexpr std::array kClassKeywords{
    Keyword{"l3", text | object, optional, kCacheAmount, kCacheExample,
            "how much of each L3 cache they share"},
    Keyword{"bandwidth", text | object, optional, kBandwidthAmount, kBandwidthExample,
            "how fast they may use memory, together, on each CCD"},
};

constexpr std::array kSelectKeywords{
    Keyword{"unit", text, optional, "the name of a unit", R"("proxy.service")", "a systemd unit"},
    Keyword{"cgroup", text, optional, "the path of a cgroup", R"("/machine.slice/*")",
            "cgroups by path or pattern, with all below them"},
    Keyword{"exe", text, optional, "the path of a program", R"("/usr/sbin/nginx")",
            "processes by their executable"},
    Keyword{"comm", text, optional, "the name of a command", R"("nginx")", "processes by their command name"},
    Keyword{"pids", array, optional, "a list of pids", "[1234, 1235]", "processes by number"},
    Keyword{"pidfile", text, optional, "the path of a pid file", R"("/run/proxy.pid")",
            "the process whose number a file holds"},
};

constexpr std::array kCpusKeywords{
    Keyword{"sockets", text, optional, kIds, kIdsExample, "all CPUs of these sockets"},
    Keyword{"nodes", text, optional, kIds, kIdsExample, "all CPUs of these NUMA nodes"},
    Keyword{"ccds", text, optional, kIds, kIdsExample, "all CPUs of these CCDs, by L3 cache id"},
    Keyword{"cpus", text, optional, kIds, kIdsExample, "these CPUs"},
    Keyword{"count", object, optional, "a count", R"({"ccds": 6})", "so many, which Bulkhead places"},
    Keyword{"of", text, optional, R"(one of "all" and "rest")", R"("all")", "what the narrowing starts from"},
    Keyword{"within", text, optional, R"(one of "socket", "node" and "ccd")", R"("node")",
            "the count must lie inside one of these"},
    Keyword{"cores_per_ccd", text | number, optional, "a number of cores", R"("50%" or 8)",
            "narrows to so many cores of each CCD"},
    Keyword{"threads_per_core", number, optional, "a number of CPUs", "1",
            "narrows to so many CPUs of each core"},
    Keyword{"thread", number, optional, "the number of a thread", "0",
            "the first CPU of a core that threads_per_core takes"},
};
static_assert(kCpusKeywords[kCpuChoiceKeywords].name == "within");

constexpr std::array kCountKeywords{
    Keyword{"sockets", number, optional, "a count", "1", "whole sockets"},
    Keyword{"nodes", number, optional, "a count", "1", "whole NUMA nodes"},
    Keyword{"ccds", number, optional, "a count", "6", "whole CCDs"},
    Keyword{"cores", number, optional, "a count", "8", "whole cores"},
    Keyword{"cpus", number, optional, "a count", "16", "single CPUs"},
};

constexpr std::array kMemoryKeywords{
    Keyword{"nodes", text, required, kIds, R"("0-1")", "memory from these NUMA nodes only"},
};

// "code" and "data" last: what they take has the keywords before them.
constexpr std::array kL3Keywords{
    Keyword{"ways", number, optional, "a number of ways", "12", "so many ways of the cache"},
    Keyword{"size", text, optional, "a size", R"("24MiB")", "so many bytes, rounded down to whole ways"},
    Keyword{"mask", text, optional, "a mask of ways", R"("0xfff")", "exactly these ways, in hexadecimal"},
    Keyword{"code", text | object, optional, kCacheAmount, kCacheExample,
            "for instructions, where CDP is mounted"},
    Keyword{"data", text | object, optional, kCacheAmount, kCacheExample, "for data, where CDP is mounted"},
};

constexpr std::array kBandwidthKeywords{
    Keyword{"memory", text, optional, kBandwidthAmount, kBandwidthExample,
            "of memory; unlimited if not given"},
    Keyword{"slow", text, optional, kBandwidthAmount, kBandwidthExample,
            "of slow memory, such as CXL (SMBA)"},
};

constexpr std::array kVerifyKeywords{
    Keyword{"occupancy_slack", text, optional, "a percentage", R"("10%")",
            "how far the occupancy may exceed the ways that are allowed"},
    Keyword{"settle", text, optional, "a time up to an hour", R"("30s", "500ms" or "2m")",
            "how long after a change nothing is judged"},
    Keyword{"max_bandwidth_overshoot", text, optional, "a percentage", R"("10%")",
            "how far the bandwidth may exceed its limit"},
};

}  // namespace

constexpr KeywordTable kPolicyTable{"policy", kPolicyKeywords};
constexpr KeywordTable kServiceTable{"service", kServiceKeywords};
constexpr KeywordTable kClassTable{"class", kClassKeywords};
constexpr KeywordTable kSelectTable{"select", kSelectKeywords};
constexpr KeywordTable kCpusTable{"cpus", kCpusKeywords};
constexpr KeywordTable kCountTable{"count", kCountKeywords};
constexpr KeywordTable kMemoryTable{"memory", kMemoryKeywords};
constexpr KeywordTable kL3Table{"l3", kL3Keywords};
constexpr KeywordTable kCacheAmountTable{"cache_amount", std::span(kL3Keywords).first(3)};
constexpr KeywordTable kBandwidthTable{"bandwidth", kBandwidthKeywords};
constexpr KeywordTable kVerifyTable{"verify", kVerifyKeywords};

constexpr Keyword kServiceEntry{"", object, optional, "a service", R"({"select": {"unit": "proxy.service"}})",
                                ""};
constexpr Keyword kClassEntry{"", object, optional, "a class", R"({"l3": "25%"})", ""};

bool accepts(Accepts types, JsonType type) {
  const auto bit = [&] {
    switch (type) {
      case JsonType::null:
        return 0U;
      case JsonType::boolean:
        return static_cast<unsigned>(boolean);
      case JsonType::number:
        return static_cast<unsigned>(number);
      case JsonType::string:
        return static_cast<unsigned>(text);
      case JsonType::array:
        return static_cast<unsigned>(array);
      case JsonType::object:
        return static_cast<unsigned>(object);
    }
    return 0U;
  };
  return (static_cast<unsigned>(types) & bit()) != 0;
}

const Keyword* KeywordTable::find(std::string_view keyword) const {
  const auto found = std::ranges::find(keywords, keyword, &Keyword::name);
  return found == keywords.end() ? nullptr : &*found;
}

std::span<const KeywordTable* const> keyword_tables() {
  static constexpr std::array kTables{&kPolicyTable,      &kServiceTable,   &kClassTable,  &kSelectTable,
                                      &kCpusTable,        &kCountTable,     &kMemoryTable, &kL3Table,
                                      &kCacheAmountTable, &kBandwidthTable, &kVerifyTable};
  return kTables;
}

}  // namespace bulkhead
