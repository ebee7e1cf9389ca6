// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/daemon_options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "controller/base/error.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

namespace po = boost::program_options;

po::options_description describe_options(DaemonOptions& options) {
  po::options_description described("Options");
  const auto directory = [](std::string& target, std::string_view usual) {
    return po::value(&target)->value_name("DIR")->default_value(std::string(usual));
  };
  described.add_options()                                                                                 //
      ("check", po::bool_switch(&options.check), "check the configuration and its policy file, and end")  //
      ("config", po::value(&options.config)->value_name("FILE"),
       ("the configuration [" + std::string(paths::kConfiguration) + "]").c_str())  //
      ("socket", po::value(&options.socket)->value_name("PATH"),
       "where to listen [bulkhead.sock in the runtime directory]")                                         //
      ("state-dir", directory(options.state_directory, paths::kStateDirectory), "what outlives a reboot")  //
      ("runtime-dir", directory(options.runtime_directory, paths::kRuntime),
       "what lives as long as the kernel's state")                    //
      ("help", po::bool_switch(&options.help), "this text, and end")  //
      ("version", po::bool_switch(&options.version), "the version, and end");
  return described;
}

}  // namespace

DaemonOptions parse_daemon_options(const std::vector<std::string>& words) {
  DaemonOptions options;
  const po::options_description described = describe_options(options);
  try {
    po::variables_map values;
    po::store(po::command_line_parser(words)
                  .options(described)
                  .positional({})
                  .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                  .run(),
              values);
    po::notify(values);
  } catch (const po::error& error) {
    throw Error(ErrorCode::usage, std::string(error.what()) + " (see bulkheadd --help)");
  }
  return options;
}

std::string daemon_help() {
  DaemonOptions options;
  std::ostringstream text;
  text << "usage: bulkheadd [OPTIONS]\n\n"
          "Keeps the policy in force on this host, and serves JSON-RPC on a Unix socket.\n\n"
       << describe_options(options) << "\nManual: bulkheadd(8), bulkhead-api(7)\n";
  return text.str();
}

}  // namespace bulkhead
