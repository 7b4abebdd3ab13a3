#include "cli/shell/notices.h"

#include "cli/render.h"

namespace svc::cli {
namespace {

std::string part(const Json& line, std::string_view path) {
  const Json* found = line.at(path);
  return found == nullptr || found->is(Json::Kind::null) ? std::string() : " " + cell_text(found);
}

Notice event_of(const Json& line) {
  const std::string_view channel = line.string_at("channel").value_or("");
  if (channel == "fills") {
    return {"fill" + part(line, "data.side") + part(line, "data.size") + part(line, "data.market_id") + " @" +
                part(line, "data.price"),
            false, true};
  }
  if (channel == "orders") return {{}, false, true};
  if (channel.find("liquidation") != std::string_view::npos)
    return {"LIQUIDATION" + part(line, "data.market_id"), true, true};
  return {};
}

}  // namespace

Notice notice_of(const Json& line) {
  const std::string_view type = line.string_at("type").value_or("");
  if (type == "event") return event_of(line);
  if (type == "gap") return {"stream: events were missed; the account is read again", true, true};
  if (type == "error") return {"stream:" + part(line, "message"), true, false};
  if (type == "status" && line.string_at("state").value_or("") == "reconnecting") {
    return {"stream: lost, connecting again", true, false};
  }
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
