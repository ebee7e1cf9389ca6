// SPDX-License-Identifier: Apache-2.0
// The methods of the API, as the daemon answers them: from what is known at once where that will do, else by
// the keeper on its thread. On the API's thread only.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "controller/api/dispatcher.h"
#include "controller/daemon/keeper_thread.h"

namespace bulkhead {

class Handlers {
 public:
  Handlers(boost::asio::io_context& api, KeeperThread& keeper) : api_(api), keeper_(keeper) {}

  void add_to(Dispatcher& dispatcher);
  void know(std::shared_ptr<const Published> published) { published_ = std::move(published); }

 private:
  using Work = std::function<Keeper::Json(Keeper&)>;
  void ask_keeper(KeeperThread::Job job, const Reply& reply, Work work);
  // One look answers all who asked before it began; who asks later may know of something that it does not
  // see.
  struct Shared {
    std::vector<Reply> replies;  // on the API's thread only
    std::atomic<bool> begun = false;
  };
  void ask_keeper_once(std::shared_ptr<Shared>& shared, const Reply& reply, Work work);

  boost::asio::io_context& api_;
  KeeperThread& keeper_;
  std::shared_ptr<const Published> published_;  // nothing before the first look that came to its end
  std::shared_ptr<Shared> verifying_, judging_, counting_, looking_;
};

}  // namespace bulkhead
