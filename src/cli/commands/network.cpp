// network list, show, add, remove, discover
#include <array>

#include "api/url.h"
#include "cli/client/outgoing.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array funds_words{"real"sv, "play"sv};
constexpr std::array built_in{"local"sv, "testnet"sv, "mainnet"sv};

Json describe(Context& context, const std::string& name) {
  const Config& config = **context.config();
  const auto known = config.networks.find(name);
  const NetworkConfig settings = known == config.networks.end() ? NetworkConfig{} : known->second;
  const auto found = find_network({name, NamedBy::command_line}, config, **context.paths(), context.environment());
  return Json::object({{"name", name},
                       {"funds", to_string(funds_of(name, settings))},
                       {"rest", found ? Json(api::to_string(found->rest)) : Json()},
                       {"rest_source", found ? Json(found->rest_source) : Json()},
                       {"ws", settings.ws},
                       {"domain_name", settings.domain_name},
                       {"chain_id", settings.chain_id},
                       {"deployment", settings.deployment},
                       {"signing_domain_source", settings.domain_name ? "configuration" : "metadata of the server"}});
}

Result<void, Failure> check_name(const std::string& name) {
  if (is_network_name(name)) return {};
  return unexpected(usage_error("\"" + name + "\" is not a network name: lower-case letters, digits and hyphens"));
}

bool always_listed(std::string_view name) {
  return std::ranges::find(built_in, name) != built_in.end();
}

Result<Answer, Stop> list_networks(Context& context) {
  const auto config = SVC_TRY(context.config());
  Answer answer{.data = Json::array()};
  for (const std::string_view name : built_in) answer.data.push(describe(context, std::string(name)));
  for (const auto& [name, settings] : config->networks)
    if (!always_listed(name)) answer.data.push(describe(context, name));
  return answer;
}

Failure unknown_network(std::string message) {
  return {.exit = ExitCode::not_found, .code = "network_unknown", .message = std::move(message)};
}

Result<Answer, Stop> show_network(Context& context, const std::optional<std::string>& named) {
  const std::string name = named ? *named : SVC_TRY(context.network_name()).text;
  SVC_TRY(check_name(name));
  const auto config = SVC_TRY(context.config());
  if (always_listed(name) || config->networks.contains(name))
    return Answer{.data = describe(context, name), .view = {{}, Layout::sheet}};
  Failure failure = unknown_network("no network is named " + name);
  failure.actions = {"svc network list"};
  return unexpected(std::move(failure));
}

// A host serves one network. If two networks had one address, credentials would go to the wrong one.
// (API: What the service does, rule 5; D-639)
Result<void, Failure> check_free(const Config& config, const std::string& name,
                                 const std::optional<std::string>& text) {
  const auto url = api::parse_url(text.value_or(""));
  if (!url) return {};
  for (const auto& [other, settings] : config.networks) {
    if (other == name) continue;
    for (const auto& taken : {settings.rest, settings.ws}) {
      const auto place = api::parse_url(taken.value_or(""));
      if (!place || !same_place(*place, *url)) continue;
      Failure failure = guard("wrong_network", api::authority(*url) + " is the host of network " + other +
                                                   ", so it is not that of " + name + "; nothing was changed");
      failure.actions = {"svc network show " + other, "svc network remove " + other};
      return unexpected(failure);
    }
  }
  return {};
}

Result<void, Failure> check_url(std::string_view flag, const std::optional<std::string>& text, bool stream) {
  if (!text) return {};
  const auto url = api::parse_url(*text);
  const bool fits = url && ((url->scheme == api::Scheme::ws || url->scheme == api::Scheme::wss) == stream);
  if (fits) return {};
  return unexpected(usage_error(std::string(flag) + " must be an address such as " +
                                (stream ? "wss://HOST/v1" : "https://HOST/v1") + (url ? "" : ": " + url.error())));
}

class AddNetwork final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "local, testnet, mainnet or a name of your own");
    arguments.text("--rest", settings_.rest, "URL", "REST base, such as https://HOST/v1");
    arguments.text("--ws", settings_.ws, "URL", "WebSocket base, such as wss://HOST/v1");
    arguments.choice("--funds", settings_.funds, funds_words, "what its money is (unknown counts as real)");
    arguments.text("--domain-name", settings_.domain_name, "TEXT", "name of its signing domain, if it publishes none");
    arguments.integer("--chain-id", chain_id_, "N", "chain id of its signing domain, if it publishes none");
    arguments.text("--deployment", settings_.deployment, "TEXT", "deployment text of its signed actions");
  }
  Result<Answer, Stop> run(Context& context) override {
    SVC_TRY(check());
    const auto paths = SVC_TRY(context.paths());
    const auto config = SVC_TRY(context.config());
    for (const auto& url : {settings_.rest, settings_.ws}) SVC_TRY(check_free(*config, name_, url));
    if (chain_id_) settings_.chain_id = std::to_string(*chain_id_);
    Config changed = *config;
    changed.networks[name_].adopt(settings_);
    SVC_TRY(check_addresses(changed.networks[name_]));
    if (context.globals().dry_run) {
      const std::string file = paths->config_file().string();
      context.adopt(Paths(*paths), std::move(changed));  // of this run alone
      Json row = describe(context, name_);
      return unexpected(planned("network_add", row.set("file", file)));
    }
    SVC_TRY(store_network(*paths, name_, settings_));
    auto reloaded = SVC_TRY(load_config(*paths));
    context.adopt(Paths(*paths), std::move(reloaded));
    return Answer{.data = describe(context, name_), .view = {{}, Layout::sheet}};
  }

 private:
  Result<void, Failure> check() const {
    SVC_TRY(check_name(name_));
    const bool anything =
        settings_.rest || settings_.ws || settings_.funds || settings_.domain_name || chain_id_ || settings_.deployment;
    if (!anything) return unexpected(usage_error("network add needs at least --rest URL"));
    if (name_ == "mainnet" && settings_.funds == "play")
      return unexpected(guard("wrong_funds", "mainnet holds real funds and cannot be labelled play"));
    SVC_TRY(check_url("--rest", settings_.rest, false));
    return check_url("--ws", settings_.ws, true);
  }

  // Of the network as it will be: old and new settings may not fit together.
  Result<void, Failure> check_addresses(const NetworkConfig& network) const {
    for (const auto& text : {network.rest, network.ws}) {
      const auto url = api::parse_url(text.value_or(""));
      if (url) SVC_TRY(check_privacy(name_, funds_of(name_, network), *url));
    }
    return {};
  }

  std::string name_;
  NetworkConfig settings_;
  std::optional<std::uint64_t> chain_id_;
};

Result<Answer, Stop> remove_network(Context& context, const std::string& name) {
  const auto config = SVC_TRY(context.config());
  if (!config->networks.contains(name)) return unexpected(unknown_network("the configuration has no network " + name));
  const Paths& paths = **context.paths();
  if (context.globals().dry_run)
    return unexpected(
        planned("network_remove", Json::object({{"name", name}, {"file", paths.config_file().string()}})));
  SVC_TRY(store_network(paths, name, std::nullopt));
  return Answer{.data = Json::object({{"name", name}, {"removed", true}})};
}

Result<Answer, Stop> discover_network(Context& context) {
  auto exchange = SVC_TRY(Exchange::open(context));
  if (context.globals().dry_run)
    return unexpected(usage_error("network discover asks the server, and a dry run asks nobody"));
  const auto facts = SVC_TRY(exchange.fresh_facts());
  const Network& network = exchange.network();
  const auto domain = domain_name(*facts, network);
  const auto deployment = deployment_text(*facts, network);
  const Json* published = facts->signing_domain(network);
  const auto published_chain_id = published == nullptr ? std::nullopt : published->integer_at("chain_id");
  for (const TermsUnknown* why : {domain ? nullptr : &domain.error(), deployment ? nullptr : &deployment.error()})
    if (why != nullptr && why->code.ends_with("_contradicted")) context.notice(why->code, why->reason);
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

}  // namespace

std::span<const CommandRow> network_commands() {
  static const CommandRow rows[]{
      {"network list", "", "List networks and where they are", calls(list_networks), Repeats::yes},
      {"network show", "[NAME]", "Show one network", calls(show_network, {{"NAME", "network (default: that of -n)"}}),
       Repeats::yes},
      {"network add", "NAME --rest URL", "Add a network, or re-point one", make<AddNetwork>},
      {"network remove", "NAME", "Forget what was added", calls(remove_network, {{"NAME", "network to forget"}})},
      {"network discover", "", "Ask the server what it is", calls(discover_network), Repeats::yes},
  };
  return rows;
}

}  // namespace svc::cli
