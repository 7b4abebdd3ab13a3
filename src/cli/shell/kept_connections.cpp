#include "cli/shell/kept_connections.h"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace svc::cli {

struct KeptConnections::Pool {
  Pool(Connect connect, const Clock& time) : open(std::move(connect)), clock(time) {}

  using Key = std::tuple<std::string, std::int64_t, std::optional<std::string>, std::optional<std::string>>;
  struct Kept {
    std::unique_ptr<api::Transport> transport;
    TimestampMs since_ms;
  };

  Connect open;
  const Clock& clock;
  std::mutex mutex;
  std::multimap<Key, Kept> idle;  // guarded by mutex

  // Null if there is none fresh enough; older ones are closed.
  std::unique_ptr<api::Transport> take(const Key& key) {
    const std::lock_guard lock(mutex);
    std::unique_ptr<api::Transport> found;
    for (auto one = idle.find(key); one != idle.end() && one->first == key && !found; one = idle.erase(one)) {
      if (clock.now_ms() - one->second.since_ms <= kept_ms_max) found = std::move(one->second.transport);
    }
    return found;
  }
  void give_back(const Key& key, std::unique_ptr<api::Transport> transport) {
    const std::lock_guard lock(mutex);
    idle.emplace(key, Kept{std::move(transport), clock.now_ms()});
  }
};

namespace {

// Gives the connection back when the command is done with it, unless something went wrong on it.
template <class Pool, class Key>
class Lent final : public api::Transport {
 public:
  Lent(std::shared_ptr<Pool> pool, Key key, std::unique_ptr<api::Transport> transport)
      : pool_(std::move(pool)), key_(std::move(key)), transport_(std::move(transport)) {}
  ~Lent() override {
    if (sound_) pool_->give_back(key_, std::move(transport_));
  }
  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    auto answer = transport_->send(request);
    sound_ = answer.has_value();
    return answer;
  }

 private:
  std::shared_ptr<Pool> pool_;
  Key key_;
  std::unique_ptr<api::Transport> transport_;
  bool sound_ = false;
};

}  // namespace

KeptConnections::KeptConnections(Connect connect, const Clock& clock)
    : pool_(std::make_shared<Pool>(std::move(connect), clock)) {}

Connect KeptConnections::connect() const {
  return [pool = pool_](const Route& route) -> Result<std::unique_ptr<api::Transport>, std::string> {
    Pool::Key key{route.origin, route.timeout_ms, route.proxy, route.ca};
    std::unique_ptr<api::Transport> transport = pool->take(key);
    if (!transport) {
      auto opened = pool->open(route);
      if (!opened) return opened;
      transport = std::move(*opened);
    }
    return std::unique_ptr<api::Transport>(
        std::make_unique<Lent<Pool, Pool::Key>>(pool, std::move(key), std::move(transport)));
  };
}

}  // namespace svc::cli
