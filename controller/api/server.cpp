// SPDX-License-Identifier: Apache-2.0
#include "controller/api/server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unordered_map>
#include <utility>

#include "controller/api/session.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr unsigned kAcceptedAtOnce = 64;  // then others have their turn
constexpr std::chrono::seconds kRest{1};
constexpr std::size_t kScratchBytes = 64 << 10;

UniqueFd spare_descriptor() {
  return UniqueFd(::eventfd(0, EFD_CLOEXEC));
}

bool lacks_descriptors(int error_number) {
  return error_number == EMFILE || error_number == ENFILE;
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& context, ListeningSocket socket, const Dispatcher& dispatcher,
       EventHub& events, FileSystem& files, ServerOptions options)
      : context_(context),
        files_(files),
        access_(options.access),
        socket_(std::move(socket)),
        acceptor_(context, socket_.descriptor()),
        timer_(context),
        spare_(spare_descriptor()),
        host_(std::make_shared<SessionHost>(SessionHost{.dispatcher = dispatcher,
                                                        .events = events,
                                                        .limits = options.limits,
                                                        .scratch = std::string(kScratchBytes, '\0')})) {
    host_->on_closed = [this](Session& session) { sessions_.erase(&session); };
  }

  // The listening socket is closed by who owns it, not by Asio.
  ~Impl() { acceptor_.release(); }

  void wait() {
    acceptor_.async_wait(Descriptor::wait_read,
                         [held = weak_from_this()](const boost::system::error_code& error) {
                           const auto self = held.lock();
                           if (self && !error) self->accept_some();
                         });
  }

  void stop() {
    host_->on_closed = nullptr;
    for (const auto& [key, session] : sessions_) session->close();
    sessions_.clear();
    acceptor_.cancel();
    timer_.cancel();
  }

  ServerCounts counts() const {
    ServerCounts counts = host_->counts;
    counts.clients = sessions_.size();
    counts.queued_bytes = host_->ledger.bytes();
    for (const auto& [key, session] : sessions_) counts.lost_events += session->lost_events();
    return counts;
  }

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  boost::asio::wait_traits<std::chrono::steady_clock>,
                                                  boost::asio::io_context::executor_type>;

  void accept_some() {
    for (unsigned count = 0; count < kAcceptedAtOnce; ++count) {
      if (UniqueFd client = accept_one()) {
        serve(std::move(client));
      } else if (lacks_descriptors(errno) && spare_ && refuse_one()) {
        continue;
      } else if (errno == EAGAIN) {
        break;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        return rest();
      }
    }
    wait();
  }

  UniqueFd accept_one() {
    return UniqueFd(::accept4(socket_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  }

  // Without descriptors a connection would stay in the queue and wake us for ever: the spare one takes it,
  // and it is told. False, with an errno, where there is none after all: the kernel wants the descriptor
  // first.
  bool refuse_one() {
    const int lacking = errno;
    spare_ = UniqueFd();
    UniqueFd client = accept_one();
    const int failed = client ? 0 : errno;
    const bool refused = static_cast<bool>(client);
    if (refused)
      turn_away(client, Error::from_errno(lacking, "cannot take another client", "the API's socket"));
    client = UniqueFd();
    spare_ = spare_descriptor();
    errno = failed;
    return refused;
  }

  void rest() {
    timer_.expires_after(kRest);
    timer_.async_wait([held = weak_from_this()](const boost::system::error_code& error) {
      const auto self = held.lock();
      if (!self || error) return;
      if (!self->spare_) self->spare_ = spare_descriptor();
      self->wait();
    });
  }

  void serve(UniqueFd client) try {
    Caller caller = caller_of(client.get(), files_, access_);
    const UserShare share = host_->ledger.of(caller.uid);
    const ServerLimits& limits = host_->limits;
    const std::string user = "user " + std::to_string(caller.uid);
    if (caller.right == Right::none) {
      turn_away(client, Error(ErrorCode::permission, user + " has no rights here"));
    } else if (caller.uid != 0 && share.clients >= limits.clients_per_user) {
      turn_away(client, Error(ErrorCode::conflict,
                              user + " has " + counted(share.clients, "connection") + " already"));
    } else if (sessions_.size() >= limits.clients) {
      turn_away(client, Error(ErrorCode::conflict,
                              "there are " + counted(sessions_.size(), "connection") + " already"));
    } else {
      ++host_->counts.connections;
      const auto session = std::make_shared<Session>(context_, std::move(client), std::move(caller), host_);
      sessions_[session.get()] = session;
      session->start();
    }
  } catch (const Error& error) {
    turn_away(client, error);
  }

  void turn_away(const UniqueFd& client, const Error& error) {
    ++host_->counts.turned_away;
    Session::turn_away(client.get(), error);
  }

  boost::asio::io_context& context_;
  FileSystem& files_;
  AccessGroups access_;
  ListeningSocket socket_;
  Descriptor acceptor_;
  Timer timer_;
  UniqueFd spare_;
  std::shared_ptr<SessionHost> host_;
  std::unordered_map<Session*, std::shared_ptr<Session>> sessions_;
};

Server::Server(boost::asio::io_context& context, ListeningSocket socket, const Dispatcher& dispatcher,
               EventHub& events, FileSystem& files, ServerOptions options)
    : impl_(std::make_shared<Impl>(context, std::move(socket), dispatcher, events, files, options)) {
  dispatcher.require_handlers();
  impl_->wait();
}

Server::~Server() {
  impl_->stop();
}

ServerCounts Server::counts() const {
  return impl_->counts();
}

}  // namespace bulkhead
