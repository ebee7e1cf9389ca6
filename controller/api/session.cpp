// SPDX-License-Identifier: Apache-2.0
#include "controller/api/session.h"

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <utility>

#include "controller/api/admission.h"
#include "controller/api/json_rpc.h"
#include "controller/api/pending_message.h"
#include "controller/api/rpc_codes.h"
#include "policies/quote.h"

namespace bulkhead {

Session::Session(boost::asio::io_context& context, UniqueFd socket, Caller caller,
                 std::shared_ptr<SessionHost> host)
    : socket_(context, socket.release()),
      caller_(std::move(caller)),
      host_(std::move(host)),
      input_(host_->limits.message_bytes) {
  host_->ledger.add_client(caller_.uid);
}

void Session::turn_away(int socket, const Error& error) {
  const std::string line = refusal_text("null", {rpc_code(error.code()), error}) + '\n';
  ::send(socket, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  // A socket that is closed with something unread in it resets the connection, and the peer might not see the
  // line.
  ::shutdown(socket, SHUT_RDWR);
  std::array<char, 4096> unread;
  constexpr int kMostReads = 256;  // of what fits into the socket
  for (int reads = 0; reads<kMostReads&& ::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT)> 0;
       ++reads) {
  }
}

std::uint64_t Session::lost_events() const {
  std::uint64_t lost = lost_before_;
  for (const auto& queue : subscriptions_) lost += queue->lost();
  return lost;
}

bool Session::held_up() const {
  return in_flight_ >= host_->limits.requests_in_flight || output_.bytes() > host_->limits.queued_bytes;
}

void Session::wait_for(Descriptor::wait_type what, bool& waiting, void (Session::*then)()) {
  if (std::exchange(waiting, true)) return;
  socket_.async_wait(what,
                     [self = shared_from_this(), &waiting, then](const boost::system::error_code& error) {
                       waiting = false;
                       if (!error && !self->closed_) ((*self).*then)();
                     });
}

void Session::go_on_soon() {
  if (std::exchange(posted_, true)) return;
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->posted_ = false;
    self->go_on();
  });
}

void Session::go_on() {
  if (closed_ || taking_) return;
  do {
    take_lines();
    flush();
    if (closed_) return;
  } while (!held_up() && input_.has_line());
  keep_account();
  if (closed_) return;
  if (!ended_ && !held_up()) wait_for(Descriptor::wait_read, reading_, &Session::read);
  close_when_done();
}

void Session::read() {
  std::string& scratch = host_->scratch;
  const ssize_t count = ::recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (count < 0 && errno != EAGAIN && errno != EINTR) return close();
  if (count == 0) ended_ = true;
  if (count > 0) input_.append(std::string_view(scratch).substr(0, static_cast<std::size_t>(count)));
  go_on();
}

void Session::take_lines() {
  taking_ = true;
  while (!held_up()) {
    if (input_.too_long()) {
      end_with({kInvalidRequest, Error(ErrorCode::invalid, "a message has at most " +
                                                               std::to_string(host_->limits.message_bytes) +
                                                               " bytes, on one line")});
      break;
    }
    const auto line = input_.next_line(ended_);
    if (!line) break;
    take(*line);
  }
  taking_ = false;
  input_.discard_taken();
}

void Session::take(std::string_view line) {
  RpcMessage message = read_message(line, host_->limits.batch_requests);
  const auto pending = std::make_shared<PendingMessage>(message.batch, message.items.size());
  in_flight_ += message.items.size();
  in_flight_bytes_ += line.size();
  host_->counts.requests += message.items.size();
  for (std::size_t item = 0; item < message.items.size(); ++item) {
    const auto settle = [held = weak_from_this(), pending, item, bytes = line.size()](std::string text) {
      if (!pending->settle(item, std::move(text))) return;
      if (const auto self = held.lock()) self->answered(pending->items(), bytes, pending->take_text());
    };
    if (const auto* mistake = std::get_if<RpcMistake>(&message.items[item])) {
      ++host_->counts.refusals;
      settle(refusal_text(mistake->id, mistake->refusal));
      continue;
    }
    auto& request = std::get<RpcRequest>(message.items[item]);
    Reply reply = [settle, id = request.id, host = host_](const Answer& answer) {
      if (answer.refusal() != nullptr) ++host->counts.refusals;
      settle(id.empty() ? std::string() : answer_text(id, answer));
    };
    call(std::move(request), std::move(reply));
  }
}

void Session::call(RpcRequest request, Reply reply) {
  auto admitted = admit(caller_, std::move(request));
  if (auto* refusal = std::get_if<Refusal>(&admitted)) return reply(std::move(*refusal));
  auto& [method, params] = std::get<AdmittedCall>(admitted);
  if (method->answered_by == AnsweredBy::server) return reply(answer_itself(*method, params));
  host_->dispatcher.dispatch(*method, caller_, std::move(params), std::move(reply));
}

void Session::answered(std::size_t requests, std::size_t message_bytes, std::string text) {
  in_flight_ -= requests;
  in_flight_bytes_ -= message_bytes;
  if (closed_) return;
  if (!text.empty()) output_.push(std::move(text) + '\n');
  go_on();
}

void Session::flush() {
  while (!writing_ && !closed_) {
    if (output_.empty()) take_events();
    if (output_.empty()) return;
    std::vector<iovec> pieces = output_.pieces();
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      output_.sent(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      wait_for(Descriptor::wait_write, writing_, &Session::go_on);
    } else if (errno != EINTR) {
      close();
    }
  }
}

// Few at a time: while they wait here they cannot be dropped.
void Session::take_events() {
  constexpr std::size_t kTaken = OutputQueue::kMostPieces / 2;
  for (const auto& queue : subscriptions_) {
    for (std::size_t taken = 0; taken < kTaken && !queue->empty(); ++taken) output_.push(queue->pop());
  }
}

// What was asked before is still answered.
void Session::end_with(const Refusal& refusal) {
  output_.push(refusal_text("null", refusal) + '\n');
  ++host_->counts.refusals;
  input_.clear();
  lost_before_ = lost_events();
  subscriptions_.clear();
  ended_ = true;
}

// Who says nothing more may still listen, to answers and events, until he hangs up.
void Session::close_when_done() {
  if (!ended_ || input_.bytes() != 0) return;
  if (in_flight_ == 0 && output_.empty() && subscriptions_.empty()) return close();
  wait_for(Descriptor::wait_error, watching_, &Session::close);
}

void Session::keep_account() {
  const std::size_t held = input_.bytes() + in_flight_bytes_ + output_.bytes();
  const bool more = held > accounted_;
  host_->ledger.change_bytes(caller_.uid, std::exchange(accounted_, held), held);
  if (!more || host_->ledger.of(caller_.uid).bytes <= host_->limits.held_bytes_per_user) return;
  const Error error(ErrorCode::conflict, "the messages of user " + std::to_string(caller_.uid) +
                                             " hold more than " +
                                             std::to_string(host_->limits.held_bytes_per_user) + " bytes");
  if (output_.empty()) turn_away(socket_.native_handle(), error);
  ++host_->counts.refusals;
  close();
}

void Session::close() {
  if (std::exchange(closed_, true)) return;
  host_->counts.lost_events += lost_events();
  subscriptions_.clear();
  host_->ledger.change_bytes(caller_.uid, accounted_, 0);
  host_->ledger.remove_client(caller_.uid);
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (host_->on_closed) host_->on_closed(*this);
}

}  // namespace bulkhead
