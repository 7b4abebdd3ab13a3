#include "cli/shell/notices.h"

#include "cli/watch/event_json.h"

namespace svc::cli {
namespace {

Notice event_of(const Json& line) {
  const std::string_view channel = line.string_at("channel").value_or("");
  if (channel == "fills") return {watch_text(line), false, true};
  if (channel == "liquidations") return {watch_text(line), true, true};
  const bool of_account = channel == "orders" || channel == "positions" || channel == "balances";
  return {{}, false, of_account};
}

}  // namespace

Notice notice_of(const Json& line) {
  const std::string_view type = line.string_at("type").value_or("");
  if (type == "event") return event_of(line);
  if (type == "gap" || type == "error") return {watch_text(line), true, true};
  if (type == "status" && line.string_at("state") == "disconnected") return {watch_text(line), true, false};
  return {};
}

Notices::Notices(const Environment& environment, const ShellState& state, std::function<void(const Notice&)> tell)
    : state_{.network = state.network, .globals = state.globals}, runner_(environment, state_), tell_(std::move(tell)) {
  runner_.interrupted_by([this] { return stopping_.load(); });
  thread_ = std::thread([this] { follow(); });
}

Notices::~Notices() {
  stopping_.store(true);
  thread_.join();
}

void Notices::follow() {
  std::string pending;
  const auto take = [&](std::string_view text) {
    if (stopping_.load()) return Written::reader_gone;
    pending += text;
    for (auto feed = pending.find('\n'); feed != std::string::npos; feed = pending.find('\n')) {
      if (const auto line = parse_json(std::string_view(pending).substr(0, feed))) tell_(notice_of(*line));
      pending.erase(0, feed + 1);
    }
    return Written::whole;
  };
  runner_.follow({"watch", "account"}, take);
}

}  // namespace svc::cli
