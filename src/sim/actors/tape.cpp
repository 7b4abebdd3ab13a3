#include "sim/actors/tape.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/archive.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view tape_format_name = "svc-tape";
constexpr int tape_format_version = 5;

Json header_of(std::span<const engine::MarketSpec> markets, TimestampMs began_ms, bool oracle_ages) {
  Json ids = Json::array();
  for (const engine::MarketSpec& market : markets) ids.push_back(market.id);
  return {{"format", tape_format_name},
          {"version", tape_format_version},
          {"markets", std::move(ids)},
          {"began_ms", began_ms},
          {"oracle_ages", oracle_ages}};
}

// nullopt: missing or out of range.
std::optional<TimestampMs> began_ms_in(const Json& header) {
  const auto member = header.find("began_ms");
  if (member == header.end() || !member->is_number_unsigned()) return std::nullopt;
  const auto began_ms = member->get<std::uint64_t>();
  if (began_ms > static_cast<std::uint64_t>(limits::clock_ms_max)) return std::nullopt;
  return static_cast<TimestampMs>(began_ms);
}

std::uint64_t chained(std::uint64_t chain, std::string_view line) {
  return (chain ^ hash64(line)) * 0x9E3779B97F4A7C15u;
}

// The orders that a command places.
template <class Body>
std::span<engine::OrderParams> orders_of(Body& body) {
  if constexpr (requires { body.params; }) return {&body.params, 1};
  if constexpr (requires { body.orders; }) return body.orders;
  return {};
}

// 0 means that the order never expires, so it is not shifted.
void shift_expiry(engine::OrderParams& order, std::int64_t by_ms) {
  if (order.expires_at_ms != 0) order.expires_at_ms = std::max<TimestampMs>(order.expires_at_ms + by_ms, 1);
}

// Each trader of the recorded run is replaced by a house account.
Address stand_in(const Address& account) {
  return is_house_account(account) ? account : house_account("tape " + to_string(account));
}

enum class Found : std::uint8_t { here, gone, later };

engine::ClientId tape_name(std::uint64_t order) {
  return *engine::ClientId::from("tape-" + std::to_string(order));
}

// Rewrites a command for playback: other accounts, and orders under names that do not depend on the run.
class Rewriter {
 public:
  // False: the numbers do not fit the command.
  [[nodiscard]] bool rewrite(CommandBody& command, std::span<const std::uint64_t> made) {
    return std::visit([&](auto& body) { return one(body, made); }, command);
  }

 private:
  template <class Body>
  bool one(Body& body, std::span<const std::uint64_t> made) {
    if constexpr (requires { body.account; }) body.account = stand_in(body.account);
    if constexpr (std::is_same_v<Body, engine::Transfer>) {
      body.from = stand_in(body.from);
      body.to = stand_in(body.to);
    }
    if constexpr (std::is_same_v<Body, engine::PlaceOrder> || std::is_same_v<Body, engine::PlaceBatch>) {
      const auto orders = orders_of(body);
      if (made.size() != orders.size()) return false;
      for (std::size_t i = 0; i < made.size(); ++i) {
        if (!is_log_time(orders[i].expires_at_ms)) return false;
        if (made[i] != 0) orders[i].client_id = tape_name(made[i]);
      }
      // Where a batch made no order, it is not asked for again: here it might be accepted.
      if constexpr (requires { body.orders; }) {
        std::size_t at = 0;
        std::erase_if(body.orders, [&](const engine::OrderParams&) { return made[at++] == 0; });
      } else if (made[0] == 0) {
        return false;
      }
    }
    if constexpr (std::is_same_v<Body, engine::AmendOrder>) {
      if (made.size() != 1 || made[0] == 0) return false;
      body.order = first_of(body.order);
      first_[made[0]] = body.order.value;
    }
    if constexpr (std::is_same_v<Body, engine::CancelOrder>) body.order = first_of(body.order);
    return true;
  }

  // An amended order keeps the name of the first.
  [[nodiscard]] engine::OrderId first_of(engine::OrderId order) const {
    return {value_in(first_, order.value).value_or(order.value)};
  }

  std::map<std::uint64_t, std::uint64_t> first_;
};

}  // namespace

Result<std::shared_ptr<const Tape>, std::string> Tape::load(const std::filesystem::path& path,
                                                            std::span<const engine::MarketSpec> markets) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return unexpected("--flow tape: cannot read " + path.string() + ": " + error.message());
  if (bytes > tape_bytes_max) return unexpected("--flow tape: " + path.string() + " is larger than 1 GiB");
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("format") || header["format"] != tape_format_name)
    return unexpected("--flow tape: " + path.string() + " is not a tape of svc");
  const auto began_ms = began_ms_in(header);
  const bool oracle_ages = header.contains("oracle_ages") && header["oracle_ages"] == true;
  if (!began_ms || header != header_of(markets, *began_ms, oracle_ages))
    return unexpected("--flow tape: " + path.string() + " was recorded by another version, or of other markets");
  auto tape = std::make_shared<Tape>();
  tape->began_ms_ = *began_ms;
  tape->oracle_ages_ = oracle_ages;
  tape->fingerprint_ = hash64(line);
  Rewriter rewriter;
  std::int64_t at_ms = 0;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    if (file.eof()) break;  // no line feed: the process was killed while it wrote this
    const auto damaged = [&] {
      return unexpected("--flow tape: line " + std::to_string(number) + " of " + path.string() +
                        " is not as it was recorded, or does not follow on the line before");
    };
    std::string_view rest = std::string_view(line).substr(0, line.rfind('\t'));
    tape->fingerprint_ = chained(tape->fingerprint_, rest);
    if (line.substr(rest.size()) != "\t" + std::to_string(tape->fingerprint_)) return damaged();
    const auto gap = parse_integer<std::uint64_t>(take_line(rest, '\t'));
    const auto archived = parse_base64(take_line(rest, '\t'));
    auto command = archived ? from_archive<CommandBody>(*archived) : std::nullopt;
    std::vector<std::uint64_t> made;
    while (!rest.empty()) {
      const auto order = parse_integer<std::uint64_t>(take_line(rest, ','));
      if (!order) return damaged();
      made.push_back(*order);
    }
    constexpr std::uint64_t gap_max_ms = 400ull * day_ms;
    if (!gap || *gap > gap_max_ms || !command || !is_usual(*command) || !rewriter.rewrite(*command, made))
      return damaged();
    at_ms += static_cast<std::int64_t>(*gap);
    tape->lines_.push_back({.at_ms = at_ms, .command = std::move(*command)});
  }
  return std::shared_ptr<const Tape>(std::move(tape));
}

Result<std::unique_ptr<TapeRecorder>, std::string> TapeRecorder::create(const std::filesystem::path& path,
                                                                        std::span<const engine::MarketSpec> markets,
                                                                        TimestampMs began_ms) {
  const auto cannot = [&](const std::string& why) {
    return unexpected("--record " + path.string() + " cannot be written: " + why);
  };
  constexpr mode_t readable_by_umask = 0666;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_umask));
  const bool is_new = static_cast<bool>(file);
  if (!is_new && errno != EEXIST) return cannot(std::strerror(errno));
  if (std::error_code error; !is_new && std::filesystem::is_regular_file(path, error))
    return unexpected("--record " + path.string() + " exists already: name another file, or remove it");
  if (!is_new) file = Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) return cannot(std::strerror(errno));
  const bool oracle_ages =
      std::ranges::any_of(markets, [](const engine::MarketSpec& market) { return market.oracle_stale_after_ms != 0; });
  const std::string header = header_of(markets, began_ms, oracle_ages).dump();
  if (write_all(file.get(), header + '\n') == Written::whole)
    return std::make_unique<TapeRecorder>(std::move(file), began_ms, header);
  auto refusal = cannot(std::strerror(errno));
  if (is_new) ::unlink(path.c_str());  // it would block the next start
  return refusal;
}

TapeRecorder::TapeRecorder(Descriptor file, TimestampMs began_ms, std::string_view header)
    : file_(std::move(file)), bytes_(std::ssize(header) + 1), last_ms_(began_ms), chain_(hash64(header)) {}

void TapeRecorder::witness(const engine::Command& command, const engine::Outcome& outcome) {
  if (problem_ != nullptr || std::holds_alternative<engine::PassTime>(command.body)) return;
  const bool cancels = std::holds_alternative<engine::CancelOrder>(command.body) ||
                       std::holds_alternative<engine::CancelAll>(command.body);
  std::string made;
  bool makes_none = !cancels && !outcome.orders.empty();
  for (std::size_t i = 0; i < outcome.orders.size() && !cancels; ++i) {
    // An order that was there before is the answer to a repeat.
    const std::uint64_t order = outcome.orders[i].order.id.value;
    const bool is_new = order > newest_order_;
    if (is_new) newest_order_ = order;
    makes_none = makes_none && !is_new;
    made.append(i == 0 ? "" : ",").append(std::to_string(is_new ? order : 0));
  }
  if (outcome.reject != engine::Reject::none || makes_none) return;
  std::string line = std::to_string(command.now_ms - last_ms_) + '\t' + to_base64(to_archive(command.body)) + '\t';
  last_ms_ = command.now_ms;
  line += made;
  chain_ = chained(chain_, line);
  line += '\t' + std::to_string(chain_) + '\n';
  // At once, so that a killed process loses no command that was answered.
  if (write_all(file_.get(), line) == Written::whole) {
    bytes_ += std::ssize(line);
    ++lines_;
  } else {
    const bool is_whole = ::ftruncate(file_.get(), bytes_) == 0;
    end(is_whole ? "the file took no more commands" : "the file took no more commands, and may end within a line");
  }
}

std::vector<Unit> TapePlayer::take(const engine::Engine& engine) {
  std::vector<Unit> units;
  const auto turn = next_turn();
  // Orders that this turn places or changes: commands that refer to them must wait for the next one.
  std::set<std::pair<Address, std::string>> busy;
  for (; !is_over(); ++next_) {
    if (next_turn()->at_ms != turn->at_ms || next_turn()->kind != turn->kind) break;
    if (turn->kind == ActorTurns::Kind::prices && !units.empty()) break;
    CommandBody command = tape_->lines()[next_].command;
    const std::int64_t later_ms = begins_ms_ - tape_->began_ms();
    const auto place = [&](auto& body) {
      for (engine::OrderParams& order : orders_of(body)) {
        shift_expiry(order, later_ms);
        if constexpr (requires { body.account; }) busy.emplace(body.account, order.client_id.text());
      }
    };
    std::visit(place, command);
    // Orders that ended differently in this run are skipped.
    const auto find = [&](const Address& account, engine::OrderId& order) {
      const auto name = tape_name(order.value);
      if (busy.contains({account, std::string(name.text())})) return Found::later;
      const auto live = engine.order_by_client_id(account, name);
      if (!live) return Found::gone;
      order = live->id;
      busy.emplace(account, name.text());
      return Found::here;
    };
    Found found = Found::here;
    if (auto* amend = std::get_if<engine::AmendOrder>(&command)) found = find(amend->account, amend->order);
    if (auto* cancel = std::get_if<engine::CancelOrder>(&command)) found = find(cancel->account, cancel->order);
    if (found == Found::later) break;
    if (found == Found::here) units.push_back({.body = std::move(command)});
  }
  return units;
}

}  // namespace svc::sim
