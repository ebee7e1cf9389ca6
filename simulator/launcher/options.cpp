// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstring>
#include <sstream>

#include "controller/base/error.h"
#include "simulator/launcher/machine_shape.h"

namespace bulkhead::sim {
namespace {

namespace po = boost::program_options;

constexpr int kMostSpeed = 100'000;

po::options_description shown_options() {
  po::options_description shown("Options", 100);
  const auto text = [](const char* usual) { return po::value<std::string>()->default_value(usual, ""); };
  shown.add_options()("kernel", po::value<std::string>()->default_value("6.12"),
                      "which Linux is modelled: 6.1, 6.12 or 7")(
      "services", text(""), "services that the host runs, a file (bulkhead-sim(1))")(
      "seed", po::value<std::uint64_t>()->default_value(1), "of noise, drift and load")(
      "speed", po::value<double>()->default_value(1), "simulated seconds in one of the clock")(
      "control", text(""), "a socket to make, for counters, faults and CPUs (bulkhead-sim(1))")(
      "tell", text(""), "say something to the control socket of a running one")(
      "calibration", "print how the model was calibrated, what it predicts and where it misses")("help,h",
                                                                                                 "this text");
  return shown;
}

}  // namespace

std::string launch_help() {
  std::ostringstream text;
  text << "bulkhead-sim MACHINE [OPTIONS] -- COMMAND [ARGUMENT...]\n"
          "bulkhead-sim --tell SOCKET LINE\n"
          "bulkhead-sim --calibration\n\n"
          "Runs the command on a simulated host: resctrl, cgroups, CPUs, caches and nodes of MACHINE, which "
          "is\n"
          "a machine file or the name of one in examples/machines.\n\n"
       << shown_options();
  return text.str();
}

LaunchOptions parse_launch_options(int count, char** words) {
  const auto end = words + count;
  const auto separator =
      std::find_if(words, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
  po::options_description all = shown_options();
  all.add_options()("machine", po::value<std::string>());
  po::positional_options_description positions;
  positions.add("machine", 1);
  LaunchOptions options;
  try {
    po::variables_map values;
    po::store(po::command_line_parser(static_cast<int>(separator - words), words)
                  .options(all)
                  .positional(positions)
                  .run(),
              values);
    options.help = values.count("help") != 0;
    options.calibration = values.count("calibration") != 0;
    options.tell = values["tell"].as<std::string>();
    const std::string first = values.count("machine") != 0 ? values["machine"].as<std::string>() : "";
    if (options.help || options.calibration) return options;
    if (!options.tell.empty()) {
      options.line = first;
      return options;
    }
    if (first.empty()) throw Error(ErrorCode::usage, "name a machine");
    options.machine = first;
    options.generation = generation_named(values["kernel"].as<std::string>());
    options.services = values["services"].as<std::string>();
    options.control = values["control"].as<std::string>();
    options.seed = values["seed"].as<std::uint64_t>();
    options.speed = values["speed"].as<double>();
    if (!(options.speed > 0 && options.speed <= kMostSpeed)) {
      throw Error(ErrorCode::usage, "the speed is more than 0 and at most " + std::to_string(kMostSpeed));
    }
  } catch (const po::error& error) {
    throw Error(ErrorCode::usage, error.what());
  }
  if (separator != end) options.command.assign(separator + 1, end);
  if (options.command.empty()) throw Error(ErrorCode::usage, "name a command after --");
  options.command.push_back(nullptr);
  return options;
}

}  // namespace bulkhead::sim
