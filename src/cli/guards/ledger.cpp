#include "cli/guards/ledger.h"

#include <algorithm>
#include <set>

#include "cli/files/private_file.h"
#include "cli/json.h"
#include "cli/render.h"

namespace svc::cli::guards {
namespace {

constexpr std::int64_t ledger_version = 1;
constexpr std::int64_t kept_ms_max = hour_ms;  // of an intent, however long the window

std::string day_of(TimestampMs at_ms) {
  return rfc3339(at_ms).substr(0, 10);
}

Result<Json, Failure> load(const std::filesystem::path& file) {
  const auto text = SVC_TRY(read_private(file));
  const Json fresh = Json::object({{"version", ledger_version}, {"accounts", Json::object()}});
  if (!text) return fresh;
  auto document = parse_json(*text);
  const bool usable = document && document->integer_at("version") == ledger_version && document->find("accounts");
  if (usable) return std::move(*document);
  return unexpected(internal_error("the file " + file.string() +
                                   " is damaged; without it the guards cannot count. Remove it to start again"));
}

struct Account {
  std::string day;
  std::int64_t orders = 0;
  Json intents = Json::array();
};

Account account_in(const Json& document, const std::string& name, const std::string& today) {
  const Json* row = document.find("accounts")->find(name);
  Account account{.day = today};
  if (row == nullptr) return account;
  if (row->string_at("day") == today) account.orders = row->integer_at("orders").value_or(0);
  if (const Json* intents = row->find("intents")) account.intents = *intents;
  return account;
}

Result<void, Failure> store(const std::filesystem::path& file, Json document, const std::string& name,
                            Account account) {
  Json accounts = *document.find("accounts");
  Json row = Json::object({{"day", account.day}, {"orders", account.orders}});
  row.set("intents", std::move(account.intents));
  accounts.set(name, std::move(row));
  document.set("accounts", std::move(accounts));
  return write_private(file, document.dump() + "\n");
}

bool have_one_in_common(std::string_view hashes, const std::set<std::string_view>& asked) {
  for (; hashes.size() >= intent_digits; hashes.remove_prefix(intent_digits))
    if (asked.contains(hashes.substr(0, intent_digits))) return true;
  return false;
}

// Without those that no window reaches any more; the latest one within the window that asks for something of this.
Json recent(const Json& intents, const Intent& intent, std::int64_t window_ms, std::optional<TimestampMs>& same) {
  std::set<std::string_view> asked;
  const std::string_view hashes = intent.hashes;
  for (std::size_t at = 0; at < hashes.size(); at += intent_digits) asked.insert(hashes.substr(at, intent_digits));
  const std::int64_t kept_ms = std::clamp<std::int64_t>(window_ms, 0, kept_ms_max);
  Json kept = Json::array();
  for (const Json& one : intents.items()) {
    const TimestampMs at_ms = one.integer_at("at_ms").value_or(0);
    if (at_ms + kept_ms <= intent.at_ms) continue;
    if (have_one_in_common(one.string_at("hashes").value_or(""), asked)) same = at_ms;
    kept.push(one);
  }
  return kept;
}

}  // namespace

Result<void, Failure> Ledger::enter(const Intent& intent, std::int64_t window_ms, const Admits& admits) const {
  const auto lock = SVC_TRY(FileLock::take(file_.string() + ".lock"));
  auto document = SVC_TRY(load(file_));
  Account account = account_in(document, intent.account, day_of(intent.at_ms));
  Standing standing{.orders_today = account.orders};
  account.intents = recent(account.intents, intent, window_ms, standing.same_intent_at_ms);
  if (const auto allowed = admits(standing); !allowed) return allowed;
  account.orders += intent.orders;
  account.intents.push(Json::object({{"hashes", intent.hashes}, {"at_ms", intent.at_ms}}));
  return store(file_, std::move(document), intent.account, std::move(account));
}

Result<void, Failure> Ledger::take_back(const Intent& intent, const std::string& hashes_that_stay) const {
  const auto lock = SVC_TRY(FileLock::take(file_.string() + ".lock"));
  auto document = SVC_TRY(load(file_));
  Account account = account_in(document, intent.account, day_of(intent.at_ms));
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
  if (taken && hashes_that_stay.empty()) account.orders -= intent.orders;
  return store(file_, std::move(document), intent.account, std::move(account));
}

}  // namespace svc::cli::guards
