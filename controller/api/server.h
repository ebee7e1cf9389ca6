// SPDX-License-Identifier: Apache-2.0
// Serves the API: JSON-RPC 2.0, one message a line, over a Unix stream socket. Everything here happens on the
// thread that runs the io_context, and nothing in it waits. While nobody says anything there are no wake-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "controller/api/caller.h"
#include "controller/api/dispatcher.h"
#include "controller/api/event_hub.h"
#include "controller/api/listening_socket.h"

namespace boost::asio {
class io_context;
}

namespace bulkhead {

// None of them is reached by a client that behaves; together they bound what the others can cost.
struct ServerLimits {
  std::size_t message_bytes = 1 << 20;  // a longer line is answered by one error, and the end
  std::size_t batch_requests = 100;
  std::size_t clients = 4096;
  std::size_t clients_per_user = 256;   // root is not counted
  std::size_t requests_in_flight = 32;  // of a client, which is then not read from
  std::size_t queued_bytes = 1 << 20;   // of answers to a client, which is then not read from
  std::size_t held_bytes_per_user = 64
                                    << 20;  // messages of its clients that are not answered yet; root's too
  std::size_t subscriptions = 16;           // of a client
  EventLimits events;                       // of a subscription
};

struct ServerOptions {
  AccessGroups access;
  ServerLimits limits;
};

struct ServerCounts {
  std::size_t clients = 0;  // now
  std::size_t queued_bytes =
      0;  // now: answers and events that wait to be read, and messages that are not complete
  std::uint64_t connections = 0;  // ever, without those turned away
  std::uint64_t turned_away = 0;  // for lack of rights or room
  std::uint64_t requests = 0;     // ever, with notifications
  std::uint64_t refusals = 0;     // of them, answered by an error
  std::uint64_t lost_events = 0;
};

class Server {
 public:
  // All must outlive it; the dispatcher is asked for every method's handler. Throws Error(internal) where one
  // is missing.
  Server(boost::asio::io_context& context, ListeningSocket socket, const Dispatcher& dispatcher,
         EventHub& events, FileSystem& files, ServerOptions options = {});

  // On the io_context's thread, or when it does not run any more. Clients are closed.
  ~Server();

  ServerCounts counts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace bulkhead
