// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/daemon.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "controller/api/server.h"
#include "controller/daemon/experiment_desk.h"
#include "controller/daemon/groups.h"
#include "controller/daemon/handlers.h"
#include "controller/daemon/service_manager.h"
#include "controller/daemon/trusted_file.h"
#include "controller/kernel/paths.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kToReadAnswers{50};  // long ones do not fit into a socket at once

std::string config_path(const DaemonOptions& options) {
  return options.config.empty() ? std::string(paths::kConfiguration) : options.config;
}

DaemonConfig config_of(const DaemonOptions& options) {
  DaemonConfig config = load_config(config_path(options), !options.config.empty());
  if (config.audit_log.empty()) {
    const bool usual = options.state_directory == paths::kStateDirectory;
    config.audit_log = (usual ? std::string(paths::kLogs) : options.state_directory) + "/audit.log";
  }
  return config;
}

// Where it writes by itself, while it keeps a host all the same if it cannot.
std::string problems_of_places(const std::string& path, const DaemonConfig& config) {
  namespace fs = std::filesystem;
  std::string problems;
  for (const auto& [keyword, file] :
       {std::pair("metrics_file", config.metrics_file), std::pair("audit_log", config.audit_log)}) {
    const fs::path place(file);
    std::error_code ignored;
    if (file.empty()) continue;
    if (!fs::is_directory(place.parent_path(), ignored)) {
      problems += path + ": /" + keyword + ": there is no directory " + place.parent_path().string() + '\n';
    } else if (fs::is_directory(place, ignored)) {
      problems += path + ": /" + keyword + ": " + file + " is a directory\n";
    }
  }
  return problems;
}

class Daemon {
 public:
  explicit Daemon(const DaemonOptions& options)
      : options_(options),
        config_(config_of(options)),
        files_(make_linux_file_system()),
        socket_(listen()),
        keeper_({.state_directory = options.state_directory,
                 .runtime_directory = options.runtime_directory,
                 .config = config_},
                listener()),
        handlers_(api_, keeper_),
        experiments_(
            api_, keeper_,
            {.runtime_directory = options.runtime_directory, .state_directory = options.state_directory},
            listener().tell) {
    handlers_.add_to(dispatcher_);
    experiments_.add_to(dispatcher_);
    server_.emplace(api_, std::move(socket_), dispatcher_, events_, *files_,
                    ServerOptions{.access = access()});
    wait_for_signals();
    keep_watchdog_quiet();
  }

  void run() {
    api_.poll();  // what the first look brought
    manager_.ready(status_);
    api_.run();
  }

 private:
  ListeningSocket listen() {
    if (std::optional<UniqueFd> inherited = manager_.inherited_socket())
      return ListeningSocket(std::move(*inherited));
    // Anybody may knock: who is in neither group is told so, and nothing else.
    return ListeningSocket(
        {.path = options_.socket.empty() ? paths::socket_in(options_.runtime_directory) : options_.socket,
         .mode = 0666});
  }

  AccessGroups access() const {
    return {.admin = group_named(config_.admin_group), .read = group_named(config_.read_group)};
  }

  // Both are called on the keeper's thread; what follows happens on ours.
  KeeperListener listener() {
    return {.tell =
                [this](EventKind kind, const nlohmann::ordered_json& data) {
                  asio::post(api_, [this, event = make_event(kind, utc_with_milliseconds(), data)] {
                    events_.publish(event);
                  });
                },
            .publish =
                [this](std::shared_ptr<const Published> published) {
                  asio::post(api_, [this, published = std::move(published)] { know(published); });
                }};
  }

  void know(const std::shared_ptr<const Published>& published) {
    handlers_.know(published);
    write_metrics(published->metrics);
    const std::string& policy = published->metrics.policy;
    const std::string status = policy.empty() ? "no policy is in force" : "keeping " + policy;
    if (status != status_) manager_.status(status);
    status_ = status;
  }

  void write_metrics(Metrics metrics) {
    if (config_.metrics_file.empty()) return;
    if (server_) {
      const ServerCounts counts = server_->counts();
      metrics.api_clients = counts.clients;
      metrics.api_requests = counts.requests;
      metrics.api_refusals = counts.refusals;
      metrics.api_turned_away = counts.turned_away;
      metrics.api_lost_events = counts.lost_events;
    }
    try {
      write_metrics_file(config_.metrics_file, metrics_text(metrics));
      metrics_trouble_ = false;
    } catch (const Error& error) {
      if (!metrics_trouble_) log_line(kLogWarning, error.what());
      metrics_trouble_ = true;
    }
  }

  void wait_for_signals() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (signal != SIGHUP) return stop();
      reload();
      wait_for_signals();
    });
  }

  void reload() {
    manager_.reloading();
    try {
      config_ = config_of(options_);
      keeper_.reload(config_);
      log_line(kLogInfo, "the configuration was read again; groups and sockets stay as they were");
    } catch (const Error& error) {
      log_line(kLogError, std::string("the configuration stays as it was: ") + error.what());
    }
    manager_.ready(status_);
  }

  // Who waits for what is being done gets its answer; what waits for its turn is not begun any more.
  void stop() {
    manager_.stopping();
    keeper_.close([this] { asio::post(api_, [this] { end_soon(); }); });
  }

  void end_soon() {
    ending_.expires_after(kToReadAnswers);
    ending_.async_wait([this](const boost::system::error_code&) {
      server_.reset();
      api_.stop();
    });
  }

  // Only while the keeper's thread lives, too: a daemon that serves but does not keep is no use. A change may
  // take long, if only its steps do not.
  void keep_watchdog_quiet() {
    const auto period = manager_.watchdog();
    if (!period) return;
    if (const std::uint64_t pulse = keeper_.pulse(); pulse != pulse_) {
      manager_.alive();
      pulse_ = pulse;
    }
    watchdog_.expires_after(*period / 3);
    watchdog_.async_wait([this](const boost::system::error_code& error) {
      if (!error) keep_watchdog_quiet();
    });
  }

  DaemonOptions options_;
  DaemonConfig config_;
  ServiceManager manager_;
  std::unique_ptr<FileSystem> files_;
  asio::io_context api_{1};
  asio::signal_set signals_{api_, SIGTERM, SIGINT, SIGHUP};
  asio::steady_timer watchdog_{api_}, ending_{api_};
  EventHub events_;
  Dispatcher dispatcher_;
  ListeningSocket socket_;
  KeeperThread keeper_;
  Handlers handlers_;
  ExperimentDesk experiments_;
  std::optional<Server> server_;
  std::string status_ = "the host cannot be looked at";
  std::uint64_t pulse_ = 0;  // of the keeper, when last asked
  bool metrics_trouble_ = false;
};

}  // namespace

void run_daemon(const DaemonOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Daemon daemon(options);
  daemon.run();
}

std::string problems_of_configuration(const DaemonOptions& options) {
  const std::string path = config_path(options);
  std::string text;
  try {
    text = read_trusted_file(path);
  } catch (const Error& error) {
    if (!options.config.empty() || error.code() != ErrorCode::not_found) throw;
    return {};
  }
  const ConfigReading reading = read_config(text);
  std::string problems = render(path, reading.diagnostics);
  if (reading.config) problems += problems_of_places(path, *reading.config);
  if (reading.config && !reading.config->policy.empty()) {
    const std::string& policy = reading.config->policy;
    problems += render(policy, read_policy(read_trusted_file(policy)).diagnostics);
  }
  return problems;
}

}  // namespace bulkhead
