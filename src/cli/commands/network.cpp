// network list, show, add, remove, discover

#include "api/http/url.h"
#include "cli/client/connection.h"
#include "cli/client/outgoing.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array funds_words{"real"sv, "play"sv};
constexpr std::array built_in{"local"sv, "testnet"sv, "mainnet"sv};

Json describe(Context& context, const std::string& name) {
  const Config& config = **context.config();
  const NetworkConfig settings = settings_of(config, name);
  const auto found = find_network({name, NamedBy::command_line}, config, **context.paths(), context.environment());
  const auto bases = found ? found->bases : std::vector<Base>();
  return Json::object({{"name", name},
                       {"funds", to_string(funds_of(name, settings))},
                       {"rest", found ? Json(api::to_string(found->rest)) : Json()},
                       {"bases", Json::list(bases, [](const Base& one) { return api::to_string(one.rest); })},
                       {"rest_source", found ? Json(found->rest_source) : Json()},
                       {"ws", settings.ws.empty() ? Json() : Json(settings.ws.front())},
                       {"streams", Json::list(settings.ws)},
                       {"domain_name", settings.domain_name},
                       {"chain_id", settings.chain_id},
                       {"deployment", settings.deployment},
                       {"signing_domain_source", settings.domain_name ? "configuration" : "metadata of the server"}});
}

// In rows one column has all the addresses.
Json with_all_addresses(Json row) {
  for (const auto& [one, all] : {std::pair("rest"sv, "bases"sv), std::pair("ws"sv, "streams"sv)}) {
    const auto& addresses = row.find(all)->items();
    if (!addresses.empty()) row.set(one, joined(addresses, &Json::text, " "));
  }
  return row;
}

Answer one_network(Context& context, const std::string& name) {
  Json row = describe(context, name);
  return {.data = row, .view = {{}, Layout::sheet}, .rows = with_all_addresses(row)};
}

Result<Answer> list_networks(Context& context) {
  const auto config = SVC_TRY(context.config());
  Answer answer{.data = Json::array()};
  for (const std::string_view name : built_in) answer.data.push(describe(context, std::string(name)));
  for (const auto& [name, settings] : config->networks)
    if (!is_among(name, built_in)) answer.data.push(describe(context, name));
  answer.rows = Json::list(answer.data.items(), with_all_addresses);
  return answer;
}

Result<Answer> show_network(Context& context, const std::optional<std::string>& named) {
  const std::string name = named ? *named : SVC_TRY(context.network_name()).text;
  SVC_TRY(check_network_name(name));
  const auto config = SVC_TRY(context.config());
  if (is_among(name, built_in) || config->networks.contains(name)) return one_network(context, name);
  return absent("network_not_found", "no network is named ", name).to_try({"svc network list"});
}

// Those that are addresses.
std::vector<api::Url> addresses_of(const NetworkConfig& network) {
  std::vector<api::Url> all;
  for (const std::string& text : followed_by(network.rest, network.ws))
    if (auto url = api::parse_url(text)) all.push_back(std::move(*url));
  return all;
}

// A host serves one network. If two networks had one address, credentials would go to the wrong one.
// (API: What the service does, rule 5; D-639)
Result<void> check_free(const Config& config, const std::string& name, const api::Url& url) {
  for (const auto& [other, settings] : config.networks) {
    const auto is_it = [&](const api::Url& taken) { return same_place(taken, url); };
    if (other == name || std::ranges::none_of(addresses_of(settings), is_it)) continue;
    return guard("wrong_network", api::authority(url), " is the host of network ", other, ", so it is not that of ",
                 name, "; nothing was changed")
        .to_try({"svc network show " + other, "svc network remove " + other});
  }
  return {};
}

Result<void> check_url(std::string_view flag, const std::string& text, bool stream) {
  const auto url = api::parse_url(text);
  if (url && ((url->scheme == api::Scheme::ws || url->scheme == api::Scheme::wss) == stream)) return {};
  return usage_error(flag, " must be an address such as ", stream ? "wss://HOST/v1" : "https://HOST/v1",
                     url ? "" : ": " + url.error());
}

// Of the network as it will be: old and new settings may not fit together.
Result<void> check_addresses(const std::string& name, const NetworkConfig& network) {
  if (!network.rest.empty()) SVC_TRY(bases_of(network.rest, network.ws, "network " + name));
  for (const api::Url& url : addresses_of(network)) SVC_TRY(check_privacy(name, funds_of(name, network), url));
  return {};
}

// The settings of a network that are given on this line.
struct NetworkFlags {
  NetworkConfig given;
  std::optional<std::uint64_t> chain_id;

  void declare(Arguments& arguments) {
    arguments.add(given.rest, {"--rest", "REST base, such as https://HOST/v1; repeatable", "URL"});
    arguments.add(given.ws, {"--ws", "WebSocket base, such as wss://HOST/v1; repeatable", "URL"});
    arguments.add(given.funds, {"--funds", "what its money is (unknown counts as real)", {}, funds_words});
    arguments.add(given.domain_name, {"--domain-name", "name of its signing domain, if it publishes none", "NAME"});
    arguments.add(chain_id, {"--chain-id", "chain id of its signing domain, if it publishes none", "N"});
    arguments.add(given.deployment, {"--deployment", "deployment text of its signed actions", "NAME"});
  }
};

// A host with real funds is not labelled play, neither by --funds nor by the network's name. A host that does not
// answer is asked before the first request goes there. (D-305)
Result<void> check_label(Context& context, const std::string& name, const Config& config) {
  if (funds_of(name, config.networks.find(name)->second) != Funds::play) return {};
  auto network = find_network({name, NamedBy::command_line}, config, **context.paths(), context.environment());
  if (!network) return {};
  const auto bases = network->bases;
  for (const Base& base : bases) {
    network->use(base);
    const auto facts = ask_briefly(context, *network);
    if (!facts) {
      context.notice("not_asked",
                     concat(network->origin(), " was not asked whether its funds are play: ", facts.error().message));
      continue;
    }
    auto checked = check_identity(*facts, *network, std::nullopt);
    const bool real = facts->serves(*network) == "mainnet" || (!checked && checked.error().code == "wrong_funds");
    if (real) SVC_TRY(std::move(checked));
  }
  return {};
}

Result<Answer> add_network(Context& context, const std::string& name, const NetworkFlags& flags) {
  NetworkConfig settings = flags.given;
  if (flags.chain_id) settings.chain_id = std::to_string(*flags.chain_id);
  SVC_TRY(check_network_name(name));
  if (settings.entries().empty()) return usage_error("network add needs at least --rest URL");
  if (name == "mainnet" && settings.funds == "play")
    return guard("wrong_funds", "mainnet holds real funds and cannot be labelled play");
  for (const std::string& url : settings.rest) SVC_TRY(check_url("--rest", url, false));
  for (const std::string& url : settings.ws) SVC_TRY(check_url("--ws", url, true));
  const auto paths = SVC_TRY(context.paths());
  const auto config = SVC_TRY(context.config());
  const auto check_hosts = [&](const Config& kept) -> Result<void> {
    for (const api::Url& url : addresses_of(settings)) SVC_TRY(check_free(kept, name, url));
    return {};
  };
  SVC_TRY(check_hosts(*config));
  Config changed = *config;
  changed.networks[name].adopt(settings);
  SVC_TRY(check_addresses(name, changed.networks[name]));
  if (context.globals().dry_run) {
    const std::string file = paths->config_file().string();
    context.adopt(Paths(*paths), std::move(changed));  // of this run alone
    Json row = describe(context, name);
    return planned("network_add", row.set("file", file));
  }
  SVC_TRY(check_label(context, name, changed));
  SVC_TRY(store_network(*paths, name, settings, check_hosts));  // another process may have added one meanwhile
  auto reloaded = SVC_TRY(load_config(*paths));
  context.adopt(Paths(*paths), std::move(reloaded));
  return one_network(context, name);
}

Result<Answer> remove_network(Context& context, const std::string& name) {
  const auto config = SVC_TRY(context.config());
  if (!config->networks.contains(name)) return absent("network_not_found", "the configuration has no network ", name);
  const Paths& paths = **context.paths();
  if (context.globals().dry_run)
    return planned("network_remove", Json::object({{"name", name}, {"file", paths.config_file().string()}}));
  SVC_TRY(store_network(paths, name, std::nullopt));
  return Answer{.data = Json::object({{"name", name}, {"removed", true}})};
}

Result<Answer> discover_network(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  if (context.globals().dry_run) return usage_error("network discover asks the server, and a dry run asks nobody");
  const auto facts = SVC_TRY(exchange.fresh_facts());
  const Network& network = exchange.network();
  const auto domain = domain_name(*facts, network);
  const auto deployment = deployment_text(*facts, network);
  const Json* published = facts->signing_domain(network);
  const auto published_chain_id = published == nullptr ? std::nullopt : published->integer_at("chain_id");
  for (const Failure* why : {domain ? nullptr : &domain.error(), deployment ? nullptr : &deployment.error()})
    if (why != nullptr && why->code.ends_with("_contradicted")) context.notice(why->code, why->message);
  return Answer{.data = Json::object({{"name", network.name},
                                      {"rest", api::to_string(network.rest)},
                                      {"serves", facts->serves(network)},
                                      {"current_api_version", facts->metadata.string_at("current_api_version")},
                                      {"min_api_version", facts->metadata.string_at("min_api_version")},
                                      {"domain_name", domain ? Json(*domain) : Json()},
                                      {"chain_id", published_chain_id},
                                      {"deployment", deployment ? Json(*deployment) : Json()},
                                      {"skew_ms", facts->skew_ms},
                                      {"metadata", facts->metadata}}),
                .view = {{}, Layout::sheet}};
}

constexpr Output network_output{
    "name funds rest? bases:[text] rest_source? ws? streams:[text] domain_name? chain_id? deployment? "
    "signing_domain_source",
    "name funds rest ws rest_source signing_domain_source domain_name chain_id deployment"};

}  // namespace

std::vector<CommandRow> network_commands() {
  return {
      {"network list", "", "List networks and where they are", "# what networks are known, and where",
       Output{"[] name funds rest? bases:[text] rest_source? ws? streams:[text] domain_name? chain_id? deployment? "
              "signing_domain_source",
              "name funds rest ws rest_source signing_domain_source"},
       calls(list_networks), Repeats::yes},
      {"network show", "[NAME]", "Show one network", "local  # one of them", network_output,
       calls(show_network, {{"NAME", "network (default: that of -n)"}}), Repeats::yes},
      {"network add", "NAME --rest URL", "Add a network, or re-point one",
       "testnet --rest https://testnet.example/v1 --funds play  # say where a network is", network_output,
       calls(add_network, {{"NAME", "local, testnet, mainnet or a name of your own"}})},
      {"network remove", "NAME", "Forget what was added", "testnet  # forget it", Output{"name removed:boolean"},
       calls(remove_network, {{"NAME", "network to forget"}})},
      {"network discover", "", "Ask the server what it is",
       "svc -n local network discover  # ask the server what it is",
       Output{"name rest serves? current_api_version? min_api_version? domain_name? chain_id:integer? deployment? "
              "skew_ms:integer? metadata:object?",
              "name rest serves current_api_version min_api_version domain_name chain_id deployment skew_ms"},
       calls(discover_network), Repeats::yes},
  };
}

}  // namespace svc::cli
