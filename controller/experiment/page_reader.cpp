// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/page_reader.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/unique_fd.h"
#include "controller/experiment/prometheus_text.h"
#include "policies/page_address.h"

namespace bulkhead {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// One GET, given up as a whole when its time is over.
class Fetch {
 public:
  Fetch(const std::string& page, HttpAddress address, std::chrono::milliseconds patience)
      : page_(page), address_(std::move(address)), patience_(patience) {
    request_.method(http::verb::get);
    request_.target(address_.target);
    request_.version(11);
    request_.set(http::field::host, address_.host);
    request_.set(http::field::user_agent, "bulkhead");
    request_.set(http::field::connection, "close");
    response_.body_limit(kLargestPage);
  }

  PageText run() {
    resolver_.async_resolve(address_.host, std::to_string(address_.port),
                            [this](beast::error_code error, auto found) {
                              if (error) return end(error);
                              stream_.async_connect(found, [this](beast::error_code failed, const auto&) {
                                if (failed) return end(failed);
                                send();
                              });
                            });
    io_.run_for(patience_);
    if (done_) return std::move(result_);
    return {{}, page_ + " did not answer within " + std::to_string(patience_.count()) + " ms", {}};
  }

 private:
  void send() {
    http::async_write(stream_, request_, [this](beast::error_code error, std::size_t) {
      if (error) return end(error);
      http::async_read(stream_, buffer_, response_,
                       [this](beast::error_code failed, std::size_t) { end(failed); });
    });
  }

  void end(beast::error_code error) {
    done_ = true;
    if (error == http::error::body_limit) {
      result_.why_none = page_ + " is larger than " + std::to_string(kLargestPage >> 20) + " MiB";
    } else if (error) {
      result_.why_none = page_ + " cannot be read: " + error.message();
    } else if (response_.get().result() != http::status::ok) {
      result_.why_none = page_ + " answered " + std::to_string(response_.get().result_int());
    } else {
      result_.text = std::move(response_.get().body());
    }
  }

  const std::string& page_;
  HttpAddress address_;
  std::chrono::milliseconds patience_;
  asio::io_context io_;
  asio::ip::tcp::resolver resolver_{io_};
  beast::tcp_stream stream_{io_};
  http::request<http::empty_body> request_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> response_;
  bool done_ = false;
  PageText result_;
};

// Not to wait for whoever writes a FIFO.
PageText read_file(const std::string& path) {
  const auto failed = [&](const char* why) { return PageText{{}, path + " cannot be read: " + why, {}}; };
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return failed(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return failed("it is no regular file");
  PageText page;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(std::strerror(errno));
    if (count == 0) return page;
    page.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (page.text.size() > kLargestPage) return failed("it is too large");
  }
}

}  // namespace

PageText read_page(const std::string& page, const std::string& folder, std::chrono::milliseconds patience) {
  const auto at = std::chrono::steady_clock::now();
  PageText read;
  const auto address = parse_page(page);
  if (const auto* http = std::get_if<HttpAddress>(&address)) {
    read = Fetch(page, *http, patience).run();
  } else if (const auto* file = std::get_if<FileAddress>(&address)) {
    read = read_file((std::filesystem::path(folder) / file->path).string());
  } else {
    read.why_none = page + " is not a page: " + std::string(describe(std::get<PageMistake>(address)));
  }
  read.at = at;
  return read;
}

}  // namespace bulkhead
