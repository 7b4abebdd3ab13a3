#include "cli/store/completion_values.h"

#include <algorithm>
#include <optional>

#include "cli/store/api_key_store.h"
#include "cli/store/kept_document.h"
#include "cli/store/wallet_store.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

KeptDocument cache_of(const Paths& paths, std::string_view network) {
  return {paths.completion(network), 1};
}

std::vector<Candidate> candidates_in(const Json* rows) {
  std::vector<Candidate> all;
  if (rows == nullptr) return all;
  for (const Json& row : rows->items()) {
    all.push_back({std::string(row.string_at("text").value_or("")), std::string(row.string_at("about").value_or(""))});
  }
  return all;
}

// Starts a refresh unless another process started one a moment ago, as recorded in the file.
void refresh(Environment& environment, const Paths& paths, const std::string& network, Json cache) {
  const TimestampMs now_ms = environment.clock->now_ms();
  const auto asked_ms = cache.integer_at("asked_ms");
  if (asked_ms && *asked_ms <= now_ms && now_ms - *asked_ms < completion_refresh_ms_min) return;
  cache.set("asked_ms", now_ms);
  if (!cache_of(paths, network).write(cache)) return;
  environment.start_apart({"-q", "--no-input", "-n", network, "--timeout", "2", "--retries", "0", "__refresh"});
}

std::vector<Candidate> from_server(Environment& environment, const Paths& paths, const std::string& network,
                                   std::string_view list, std::int64_t good_ms) {
  if (network.empty()) return {};
  Json cache = cache_of(paths, network).read_if_usable();
  const TimestampMs now_ms = environment.clock->now_ms();
  const auto kept_ms = cache.integer_at(std::string(list) + "_ms");
  auto all = candidates_in(cache.find(list));
  if (!kept_ms || *kept_ms > now_ms || now_ms - *kept_ms > good_ms) {
    refresh(environment, paths, network, std::move(cache));
  }
  return all;
}

std::vector<Candidate> stored_wallets(const Paths& paths, const std::string& network) {
  std::vector<Candidate> all;
  if (network.empty()) return all;
  if (const auto wallets = list_wallets(paths, network)) {
    for (const WalletInfo& wallet : *wallets) all.push_back({wallet.name, to_string(wallet.address)});
  }
  return all;
}

std::vector<Candidate> stored_accounts(const Paths& paths, const std::string& network) {
  std::vector<Candidate> all = stored_wallets(paths, network);
  for (Candidate& one : all) std::swap(one.text, one.about);
  return all;
}

std::vector<Candidate> stored_keys(const Paths& paths, const std::string& network) {
  std::vector<Candidate> all;
  if (network.empty()) return all;
  if (const auto keys = list_api_keys(paths, network)) {
    for (const ApiKeyRecord& key : *keys) all.push_back({key.key_id, key.label.value_or("")});
  }
  return all;
}

std::vector<Candidate> known_networks(const Config& config) {
  std::vector<Candidate> all{
      {"local", "the sandbox on this machine"}, {"testnet", "play funds"}, {"mainnet", "real funds"}};
  for (const auto& [name, network] : config.networks) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Candidate& one) { return one.text == name; });
    if (!known) all.push_back({name, network.rest.value_or("")});
  }
  return all;
}

}  // namespace

ValueSource cached_values(Environment& environment, const Paths& paths, const Config& config, std::string network) {
  return [&environment, paths, &config, network = std::move(network)](ValueKind kind) -> std::vector<Candidate> {
    switch (kind) {
      case ValueKind::market: return from_server(environment, paths, network, "markets", completion_markets_ms_max);
      case ValueKind::order: return from_server(environment, paths, network, "orders", completion_orders_ms_max);
      case ValueKind::client_id:
        return from_server(environment, paths, network, "client_ids", completion_orders_ms_max);
      case ValueKind::key: return stored_keys(paths, network);
      case ValueKind::network: return known_networks(config);
      case ValueKind::wallet:
      case ValueKind::agent: return stored_wallets(paths, network);
      case ValueKind::account: return stored_accounts(paths, network);
      case ValueKind::profile: {
        std::vector<Candidate> all;
        for (const auto& [name, values] : config.profiles) {
          const auto of = values.find(profile_network_key);
          all.push_back({name, of == values.end() ? std::string() : of->second.value});
        }
        return all;
      }
      case ValueKind::alias: {
        std::vector<Candidate> all;
        for (const auto& [name, words] : config.aliases) all.push_back({name, words.value});
        return all;
      }
    }
    return {};
  };
}

std::vector<std::string> kept_markets(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  const Json cache = cache_of(paths, network).read_if_usable();
  const auto kept_ms = cache.integer_at("markets_ms");
  if (!kept_ms || *kept_ms > now_ms || now_ms - *kept_ms > completion_markets_ms_max) return {};
  std::vector<std::string> ids;
  for (Candidate& one : candidates_in(cache.find("markets"))) ids.push_back(std::move(one.text));
  return ids;
}

Result<void, Failure> keep_for_completion(const Paths& paths, std::string_view network, const Json& markets,
                                          const Json& orders, TimestampMs now_ms) {
  Json cache = cache_of(paths, network).read_if_usable();
  const auto keep = [&](const std::string& list, const Json& rows, std::string_view id, auto about) {
    if (!rows.is(Json::Kind::array)) return;
    Json kept = Json::array();
    for (const Json& row : rows.items()) {
      if (kept.items().size() == completion_rows_max) break;
      if (const auto text = row.string_at(id)) kept.push(Json::object({{"text", *text}, {"about", about(row)}}));
    }
    cache.set(list, std::move(kept));
    cache.set(list + "_ms", now_ms);
  };
  keep("markets", markets, "market_id", [](const Json& row) {
    const auto tick = row.string_at("tick_size");
    return tick ? "tick " + std::string(*tick) : std::string();
  });
  keep("orders", orders, "id", order_text);
  keep("client_ids", orders, "client_id", order_text);
  return cache_of(paths, network).write(cache);
}

}  // namespace svc::cli
