// SPDX-License-Identifier: Apache-2.0
// One connection: reads its messages, hands them over, sends answers and events. It holds no buffers while
// there is nothing in them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/api/caller.h"
#include "controller/api/dispatcher.h"
#include "controller/api/event_hub.h"
#include "controller/api/line_buffer.h"
#include "controller/api/output_queue.h"
#include "controller/api/server.h"
#include "controller/api/user_ledger.h"

namespace bulkhead {

class Session;
struct RpcRequest;

// What all sessions of a server share.
struct SessionHost {
  const Dispatcher& dispatcher;
  EventHub& events;
  ServerLimits limits;
  UserLedger ledger;
  ServerCounts counts;                      // `lost_events` of those that were closed
  std::function<void(Session&)> on_closed;  // none once the server has gone
  std::string scratch;                      // what any of them reads goes through here
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::io_context& context, UniqueFd socket, Caller caller,
          std::shared_ptr<SessionHost> host);

  void start() { go_on(); }
  void close();
  std::uint64_t lost_events() const;

  // The one answer to somebody who is turned away: a new socket has room for it.
  static void turn_away(int socket, const Error& error);

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

  // Does what can be done now, and waits for what cannot.
  void go_on();
  void take_lines();
  void take(std::string_view line);
  void call(RpcRequest request, Reply reply);
  void answered(std::size_t requests, std::size_t message_bytes, std::string text);

  Answer answer_itself(const Method& method, const nlohmann::json& params);
  Answer subscribe(const nlohmann::json& params);
  Answer unsubscribe(const nlohmann::json& params);
  Answer discover(const nlohmann::json& params);

  void read();
  void flush();
  void take_events();
  void wait_for(Descriptor::wait_type what, bool& waiting, void (Session::*then)());
  void go_on_soon();
  void end_with(const Refusal& refusal);
  void close_when_done();
  void keep_account();

  // By what it has not read, or by what we have not answered.
  bool held_up() const;

  Descriptor socket_;
  Caller caller_;
  std::shared_ptr<SessionHost> host_;
  LineBuffer input_;
  OutputQueue output_;
  std::vector<std::shared_ptr<EventQueue>> subscriptions_;
  std::size_t in_flight_ = 0;        // requests
  std::size_t in_flight_bytes_ = 0;  // of their messages
  std::size_t accounted_ = 0;        // bytes of ours that are in the ledger
  std::uint64_t lost_before_ = 0;    // events, of subscriptions that are over
  bool reading_ = false;             // we wait until there is something to read, and so on
  bool writing_ = false;
  bool watching_ = false;
  bool posted_ = false;
  bool taking_ = false;  // further up the stack
  bool ended_ = false;   // nothing more comes
  bool closed_ = false;
};

}  // namespace bulkhead
