#include "cli/shell/notices.h"

#include "base/clock.h"

namespace svc::cli {
namespace {

Notice event_of(const Json& line, LineRoom room) {
  const std::string_view channel = line.string_at("channel").value_or("");
  if (channel == "fills") return {watch_text(line, room), false, true};
  if (channel == "liquidations") return {watch_text(line, room), true, true};
  const bool of_account = channel == "orders" || channel == "positions" || channel == "balances";
  return {{}, false, of_account};
}

}  // namespace

Notice notice_of(const Json& line, LineRoom room) {
  const std::string_view type = line.string_at("type").value_or("");
  if (type == "event") return event_of(line, room);
  if (type == "gap") return {.text = watch_text(line, room), .loud = true, .changes_account = true};
  const bool disconnected = type == "status" && line.string_at("state") == "disconnected";
  if (disconnected || type == "error") {
    const std::string why(line.string_at(disconnected ? "reason" : "message").value_or(""));
    return {.text = "the stream of the account is lost" + (why.empty() ? "" : ": " + why), .loud = true, .lost = true};
  }
  return {.text = {}, .lost = type == "end"};
}

Notices::Notices(const Environment& environment, const ShellState& state, std::function<void(const Notice&)> tell)
    : environment_(environment), state_{.network = state.network, .globals = state.globals, .sitting = {.pinned = state.sitting.pinned}}, runner_(environment, state_), tell_(std::move(tell)) {
  runner_.interrupted_by([this] { return stopping_.load(); });
  thread_ = std::thread([this] { follow(); });
}

Notices::~Notices() {
  stopping_.store(true);
  thread_.join();
}

void Notices::follow() {
  constexpr std::int64_t pause_ms = 2 * second_ms, look_ms = 100;
  while (!stopping_.load()) {
    follow_once();
    for (std::int64_t waited_ms = 0; waited_ms < pause_ms && !stopping_.load(); waited_ms += look_ms) {
      environment_.sleep_ms(look_ms);
    }
  }
}

void Notices::follow_once() {
  std::string pending;
  bool lost = false;
  const auto take = [&](std::string_view text) {
    if (stopping_.load()) return Written::reader_gone;
    pending += text;
    for (auto feed = pending.find('\n'); feed != std::string::npos; feed = pending.find('\n')) {
      if (const auto line = parse_json(std::string_view(pending).substr(0, feed))) {
        const Notice notice = notice_of(*line, {.columns = environment_.out_columns});
        lost = lost || notice.lost;
        tell_(notice);
      }
      pending.erase(0, feed + 1);
    }
    return lost ? Written::reader_gone : Written::whole;
  };
  runner_.follow({"watch", "account"}, take);
}

}  // namespace svc::cli
