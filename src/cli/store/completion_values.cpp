#include "cli/store/completion_values.h"

#include "cli/arguments/line_words.h"
#include "cli/store/allow_list.h"
#include "cli/store/api_key_store.h"
#include "cli/store/kept_document.h"
#include "cli/store/network.h"
#include "cli/store/wallet_store.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

KeptDocument cache_of(const Paths& paths, std::string_view network) {
  return {paths.completion(network), 1};
}

template <class Range, class Of>
std::vector<Candidate> candidates_of(const Range& range, Of of) {
  std::vector<Candidate> all;
  for (const auto& one : range) all.push_back(of(one));
  return all;
}

std::vector<Candidate> candidates_in(const Json& cache, std::string_view list) {
  return candidates_of(cache.items_at(list), [](const Json& row) {
    return Candidate{row.text_at("text"), row.text_at("about")};
  });
}

bool is_fresh(const Json& cache, std::string_view list, std::int64_t good_ms, TimestampMs now_ms) {
  const auto kept_ms = cache.integer_at(std::string(list) + "_ms");
  return kept_ms && *kept_ms <= now_ms && now_ms - *kept_ms <= good_ms;
}

// Starts a refresh unless another process started the same one a moment ago, as recorded in the file.
void refresh(Environment& environment, const Paths& paths, const std::string& network,
             const std::vector<std::string>& flags, Json cache) {
  const TimestampMs now_ms = environment.clock->now_ms();
  const auto asked_ms = cache.integer_at("asked_ms");
  const bool asked_now = asked_ms && *asked_ms <= now_ms && now_ms - *asked_ms < completion_refresh_ms_min;
  if (asked_now && cache.text_at("asked_for") == join_words(flags)) return;
  cache.set("asked_ms", now_ms);
  cache.set("asked_for", join_words(flags));
  if (!cache_of(paths, network).write(cache)) return;
  std::vector<std::string> words{"-q", "--no-input", "-n", network, "--timeout", "2", "--retries", "0"};
  if (!paths.named_config.empty()) words.insert(words.end(), {"--config", paths.named_config.string()});
  words.insert(words.end(), flags.begin(), flags.end());
  words.emplace_back("__refresh");
  environment.start_apart(words);
}

std::vector<Candidate> from_server(Environment& environment, const Paths& paths, const std::string& network,
                                   const std::vector<std::string>& flags, std::string_view list, std::int64_t good_ms) {
  Json cache = cache_of(paths, network).read_if_usable();
  // Orders of another account would be worse than none.
  const bool is_ours = list == "markets" || cache.text_at("orders_for") == join_words(flags);
  auto all = is_ours ? candidates_in(cache, list) : std::vector<Candidate>();
  if (!is_ours || !is_fresh(cache, list, good_ms, environment.clock->now_ms()))
    refresh(environment, paths, network, flags, std::move(cache));
  return all;
}

std::vector<Candidate> stored_wallets(const Paths& paths, const std::string& network) {
  const auto wallets = list_wallets(paths, network);
  if (!wallets) return {};
  return candidates_of(*wallets, [](const WalletInfo& one) { return Candidate{one.name, to_string(one.address)}; });
}

std::vector<Candidate> known_networks(const Config& config) {
  std::vector<Candidate> all{
      {"local", "the sandbox on this machine"}, {"testnet", "play funds"}, {"mainnet", "real funds"}};
  for (const auto& [name, network] : config.networks) {
    if (!is_among(name, all, &Candidate::text)) all.push_back({name, joined(network.rest, {}, " ")});
  }
  return all;
}

}  // namespace

std::vector<std::string> account_flags(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 6> names{"-a", "--account", "--signer", "--auth", "-P", "--profile"};
  std::vector<std::string> flags;
  for (const FlagWords& one : flags_of_every_line(words))
    if (is_among(flag_of(one.front()), names)) flags.insert(flags.end(), one.begin(), one.end());
  return flags;
}

ValueSource cached_values(Environment& environment, const Paths& paths, const Config& config, std::string network,
                          std::vector<std::string> flags) {
  return [&environment, paths, &config, network = std::move(network),
          flags = std::move(flags)](ValueKind kind) -> std::vector<Candidate> {
    const auto from = [&](std::string_view list, std::int64_t good_ms) {
      return from_server(environment, paths, network, flags, list, good_ms);
    };
    constexpr std::array of_no_network{ValueKind::network, ValueKind::profile, ValueKind::alias, ValueKind::sandbox};
    if (network.empty() && !is_among(kind, of_no_network)) return {};
    switch (kind) {
      case ValueKind::market: return from("markets", completion_markets_ms_max);
      case ValueKind::order: return from("orders", completion_orders_ms_max);
      case ValueKind::client_id: return from("client_ids", completion_orders_ms_max);
      case ValueKind::key:
        return candidates_of(list_api_keys(paths, network).records, [](const ApiKeyRecord& one) {
          return Candidate{one.key_id, one.label.value_or("")};
        });
      case ValueKind::network: return known_networks(config);
      case ValueKind::wallet:
      case ValueKind::agent: return stored_wallets(paths, network);
      case ValueKind::account: {
        auto all = stored_wallets(paths, network);
        for (Candidate& one : all) std::swap(one.text, one.about);
        return all;
      }
      case ValueKind::profile:
        return candidates_of(config.profiles, [](const auto& profile) {
          return Candidate{profile.first, value_in(profile.second, profile_network_key).value_or(Placed{}).value};
        });
      case ValueKind::alias:
        return candidates_of(config.aliases, [](const auto& alias) {
          return Candidate{alias.first, alias.second.value};
        });
      case ValueKind::address: {
        const auto listed = guards::load_addresses(paths, network);
        if (!listed) return {};
        return candidates_of(*listed, [](const guards::ListedAddress& one) {
          return Candidate{one.label, to_string(one.address)};
        });
      }
      case ValueKind::sandbox:
        return candidates_of(running_sandboxes(paths), [](const RunningSandbox& one) {
          return Candidate{one.name, one.url};
        });
    }
    return {};
  };
}

std::vector<std::string> kept_markets(const Paths& paths, std::string_view network, TimestampMs now_ms) {
  const Json cache = cache_of(paths, network).read_if_usable();
  if (!is_fresh(cache, "markets", completion_markets_ms_max, now_ms)) return {};
  std::vector<std::string> ids;
  for (Candidate& one : candidates_in(cache, "markets")) ids.push_back(std::move(one.text));
  return ids;
}

Result<void> keep_for_completion(const Paths& paths, std::string_view network, const Json& markets, const Json& orders,
                                 TimestampMs now_ms, const std::vector<std::string>& flags) {
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
  if (orders.is(Json::Kind::array)) cache.set("orders_for", join_words(flags));
  return cache_of(paths, network).write(cache);
}

}  // namespace svc::cli
