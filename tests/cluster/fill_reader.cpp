#include "cluster/fill_reader.h"

#include <chrono>
#include <set>

#include "api/stream/ws_client.h"
#include "base/clock.h"

namespace svc::cluster {
namespace {

constexpr std::int64_t wait_ms = 50;
const api::StreamKey fills_key{.channel = api::StreamChannel::fills};

}  // namespace

class FillReader::Door final : public api::StreamDoor {
 public:
  Door(FillReader& reader) : reader_(reader), lines_(reader.nodes_), node_(reader.seed_ % lines_.count()) {}

  Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open() override {
    node_ = (node_ + 1) % lines_.count();
    const Reply minted = reader_.trader_.ask(lines_, node_, "POST", "/ws/token");
    if (minted.status != 200)
      return unexpected(api::LinkRefusal{.status = minted.status, .code = {}, .reason = minted.text});
    ++reader_.connections_;
    return api::open_websocket({.dial = {.origin = reader_.nodes_[node_]},
                                .target = "/v1/ws?token=" + minted.body()["token"].get<std::string>(),
                                .connect_ms = 1'000,
                                .answer_ms = 4'000});
  }
  Result<std::string, api::LinkRefusal> newest_row(const api::StreamKey&) override {
    const Reply page = reader_.trader_.ask(lines_, node_, "GET", "/fills?limit=1");
    if (page.status != 200) return refused(page.text);
    const Json rows = page.body();
    return rows.empty() ? std::string() : rows[0]["id"].get<std::string>();
  }
  Result<api::StreamRows, api::LinkRefusal> rows_after(const api::StreamKey&,
                                                       const std::optional<std::string>& row_id) override {
    auto rows = reader_.trader_.fills_after(lines_, node_, row_id.value_or(""));
    if (!rows) return refused(rows.error());
    api::StreamRows found;
    for (const Json& row : *rows) found.payloads.push_back(row.dump());
    return found;
  }
  void pause(std::int64_t ms) override { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

 private:
  static Unexpected<api::LinkRefusal> refused(const std::string& why) {
    return unexpected(api::LinkRefusal{.code = "not_read", .reason = why});
  }

  FillReader& reader_;
  Lines lines_;
  std::size_t node_;
};

FillReader::FillReader(const Trader& trader, std::vector<api::Url> nodes, std::uint64_t seed)
    : trader_(trader),
      nodes_(std::move(nodes)),
      seed_(seed),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::vector<std::string> FillReader::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::vector<std::string> FillReader::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

void FillReader::run(const std::stop_token& stop) {
  const SystemClock clock;
  Door door(*this);
  api::StreamMarks marks{{fills_key, {.seq = 0, .row_id = ""}}};
  while (!stop.stop_requested()) {
    const std::uint64_t moves = moves_;
    api::StreamClient client(door, clock, {fills_key}, marks, seed_);
    while (!stop.stop_requested() && moves == moves_)
      if (const auto news = client.next(wait_ms)) take(*news);
    marks = client.marks();
  }
}

void FillReader::take(const api::StreamNews& news) {
  using enum api::StreamNews::Kind;
  const std::lock_guard lock(mutex_);
  switch (news.kind) {
    case event: seen_.push_back(Json::parse(news.payload)["id"].get<std::string>()); return;
    case resync:
      ++repairs_;
      if (!news.complete) violations_.push_back("a stream has a gap that nobody could fill");
      return;
    case error:
      if (news.final) violations_.push_back("a stream ended: " + news.text);
      return;
    case connected:
    case disconnected:
    case subscribed:
    case gap: return;
  }
}

}  // namespace svc::cluster
