// SPDX-License-Identifier: Apache-2.0
// A server on a socket of its own, with a thread, and handlers that tell what they were called with.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <utility>
#include <vector>

#include "controller/api/server.h"

namespace bulkhead {

class RunningServer {
 public:
  // policy.plan is answered by `release`, state.status is 8 KB, and the others say who called with what.
  explicit RunningServer(ServerOptions options = {}) : work_(std::in_place, context_.get_executor()) {
    ::chmod(directory_.c_str(), 0755);
    for (const Method& method : methods()) {
      if (method.answered_by == AnsweredBy::handler) handle(method.name);
    }
    dispatcher_.handle("policy.plan", [this](const Caller&, const nlohmann::json&, const Reply& reply) {
      held_.push_back(reply);
    });
    dispatcher_.handle("state.status", [](const Caller&, const nlohmann::json&, const Reply& reply) {
      reply(nlohmann::ordered_json(std::string(8000, 's')));
    });
    server_ = std::make_unique<Server>(context_, ListeningSocket(SocketOptions{.path = path(), .mode = 0666}),
                                       dispatcher_, events_, *files_, options);
    thread_ = std::thread([this] { context_.run(); });
  }

  ~RunningServer() {
    on_thread([this] {
      held_.clear();
      server_.reset();
      return 0;
    });
    work_.reset();
    thread_.join();
    ::rmdir(directory_.c_str());
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::string path() const { return directory_ + "/api.sock"; }

  template <class Act>
  auto on_thread(Act act) -> decltype(act()) {
    std::packaged_task<decltype(act())()> task(std::move(act));
    auto result = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return result.get();
  }

  ServerCounts counts() {
    return on_thread([this] { return server_->counts(); });
  }
  std::size_t held() {
    return on_thread([this] { return held_.size(); });
  }
  // Answers what is held.
  void release() {
    on_thread([this] {
      for (const Reply& reply : std::exchange(held_, {})) reply(nlohmann::ordered_json("released"));
      return 0;
    });
  }
  // What policy.check fails with from now on.
  void answer_check_with(const Error& error) {
    on_thread([&] {
      dispatcher_.handle("policy.check",
                         [error](const Caller&, const nlohmann::json&, const Reply&) { throw error; });
      return 0;
    });
  }
  void publish(EventKind kind, const nlohmann::ordered_json& data) {
    on_thread([&] {
      events_.publish(kind, data);
      return 0;
    });
  }

  // Until it is so; false if it never is.
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int attempt = 0; attempt < 500; ++attempt) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  void handle(std::string_view name) {
    dispatcher_.handle(name, [name](const Caller& caller, const nlohmann::json& params, const Reply& reply) {
      reply(nlohmann::ordered_json{{"method", name}, {"uid", caller.uid}, {"params", params.dump()}});
    });
  }

  static std::string make_directory() {
    std::string pattern = "/tmp/bulkhead-api-XXXXXX";
    return ::mkdtemp(pattern.data());
  }

  const std::string directory_ = make_directory();
  boost::asio::io_context context_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  const std::unique_ptr<FileSystem> files_ = make_linux_file_system();
  EventHub events_;
  Dispatcher dispatcher_;
  std::vector<Reply> held_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace bulkhead
