#include "cli/store/intent_ledger.h"

#include <cstdlib>
#include <set>

#include "cli/terminal/render.h"

namespace svc::cli::guards {
namespace {

constexpr std::int64_t window_ms_max = hour_ms;
constexpr std::int64_t under_way_ms = 2 * minute_ms;  // an intent may be taken back that long

std::string day_of(TimestampMs at_ms) {
  return rfc3339(at_ms).substr(0, 10);
}

// What is kept of an account.
struct Account {
  Json all;  // of the network
  std::string name;
  std::string day;
  std::int64_t orders = 0;  // on that day
  Json intents = Json::array();
};

Result<Account> read_account(const KeptDocument& file, const Intent& intent) {
  Account account{.all = SVC_TRY(file.read("accounts")).value_or(Json::object()),
                  .name = intent.account,
                  .day = day_of(intent.at_ms)};
  const Json* row = account.all.find(account.name);
  if (row == nullptr) return account;
  const auto orders = row->integer_at("orders");
  if (!orders || *orders < 0) return unexpected(file.damaged());
  account.day = row->text_at("day");
  account.orders = *orders;
  if (const Json* intents = row->find("intents")) account.intents = *intents;
  return account;
}

Result<void> store(const KeptDocument& file, Account account) {
  account.all.set(account.name,
                  Json::object({{"day", account.day}, {"orders", account.orders}, {"intents", account.intents}}));
  return file.write(Json::object({{"accounts", std::move(account.all)}}));
}

bool have_one_in_common(std::string_view hashes, const std::set<std::string_view>& asked) {
  for (; hashes.size() >= intent_digits; hashes.remove_prefix(intent_digits))
    if (asked.contains(hashes.substr(0, intent_digits))) return true;
  return false;
}

// Drops the intents that are older than the window and no longer under way; `same` is the latest overlapping one within
// the window.
Json recent(const Json& intents, const Intent& intent, std::int64_t window_ms, std::optional<TimestampMs>& same) {
  std::set<std::string_view> asked;
  const std::string_view hashes = intent.hashes;
  for (std::size_t at = 0; at < hashes.size(); at += intent_digits) asked.insert(hashes.substr(at, intent_digits));
  window_ms = std::clamp<std::int64_t>(window_ms, 0, window_ms_max);
  Json kept = Json::array();
  for (const Json& one : intents.items()) {
    const TimestampMs at_ms = one.integer_at("at_ms").value_or(0);
    const std::int64_t age_ms = std::abs(intent.at_ms - at_ms);  // the clock may have been set back
    if (age_ms >= std::max(window_ms, under_way_ms)) continue;
    if (age_ms < window_ms && have_one_in_common(one.string_at("hashes").value_or(""), asked)) same = at_ms;
    kept.push(one);
  }
  return kept;
}

}  // namespace

Result<void> Ledger::enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const {
  const auto lock = SVC_TRY(file_.lock());
  auto account = SVC_TRY(read_account(file_, intent));
  // If the clock was set back, the stored day is after today, and its orders still count.
  const std::string today = day_of(intent.at_ms);
  if (account.day < today) account.orders = 0;
  account.day = today;
  Standing standing{.orders_today = account.orders};
  account.intents = recent(account.intents, intent, window_ms, standing.same_intent_at_ms);
  SVC_TRY(admits(standing));
  account.orders += intent.orders;
  account.intents.push(Json::object({{"hashes", intent.hashes}, {"at_ms", intent.at_ms}}));
  return store(file_, std::move(account));
}

Result<void> Ledger::take_back(const Intent& intent, const std::string& hashes_that_stay) const {
  const auto lock = SVC_TRY(file_.lock());
  auto account = SVC_TRY(read_account(file_, intent));
  Json kept = Json::array();
  bool taken = false;
  for (const Json& one : account.intents.items()) {
    const bool it =
        one.string_at("hashes") == std::string_view(intent.hashes) && one.integer_at("at_ms") == intent.at_ms;
    if (!it || taken) {
      kept.push(one);
      continue;
    }
    taken = true;
    if (!hashes_that_stay.empty()) kept.push(Json(one).set("hashes", hashes_that_stay));
  }
  account.intents = std::move(kept);
  // Those of a day before are no longer counted.
  const auto stay = static_cast<std::int64_t>(hashes_that_stay.size() / intent_digits);
  if (taken && account.day == day_of(intent.at_ms))
    account.orders -= std::clamp<std::int64_t>(intent.orders - stay, 0, account.orders);
  return store(file_, std::move(account));
}

}  // namespace svc::cli::guards
