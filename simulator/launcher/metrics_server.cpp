// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/metrics_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <thread>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{5};  // with a client that does not speak

// One request, one answer; it keeps itself alive until then.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(tcp::socket socket, const std::function<std::string()>& page)
      : stream_(std::move(socket)), page_(page) {}

  void start() {
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const bool found = request_.target() == "/metrics";
    response_.result(found ? http::status::ok : http::status::not_found);
    response_.set(http::field::content_type, "text/plain; version=0.0.4");
    response_.body() = found ? page_() : "the page is /metrics\n";
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code, std::size_t) {});
  }

  beast::tcp_stream stream_;
  const std::function<std::string()>& page_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response<http::string_body> response_;
};

}  // namespace

class MetricsServer::Impl {
 public:
  Impl(unsigned port, std::function<std::string()> page)
      : page_(std::move(page)), acceptor_(context_, address(port)), thread_([this] { run(); }) {}

  ~Impl() {
    context_.stop();
    thread_.join();
  }

 private:
  static tcp::endpoint address(unsigned port) {
    return {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)};
  }

  void run() {
    accept();
    context_.run();
  }

  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (!error) std::make_shared<Exchange>(std::move(socket), page_)->start();
      accept();
    });
  }

  std::function<std::string()> page_;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  std::thread thread_;
};

MetricsServer::MetricsServer(unsigned port, std::function<std::string()> page) {
  try {
    impl_ = std::make_unique<Impl>(port, std::move(page));
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::refused,
                "cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + error.code().message());
  }
}

MetricsServer::~MetricsServer() = default;

}  // namespace bulkhead::sim
