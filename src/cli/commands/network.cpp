// network list, show, add, remove, discover
#include <array>

#include "api/http/url.h"
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
  Json row = Json::object({{"name", name}, {"funds", to_string(funds_of(name, settings))}});
  row.set("rest", found ? Json(api::to_string(found->rest)) : Json());
  row.set("rest_source", found ? Json(found->rest_source) : Json());
  row.set("ws", settings.ws);
  row.set("domain_name", settings.domain_name);
  row.set("chain_id", settings.chain_id);
  row.set("deployment", settings.deployment);
  row.set("signing_domain_source", settings.domain_name ? "configuration" : "metadata of the server");
  return row;
}

Result<void, Failure> check_name(const std::string& name) {
  if (is_network_name(name)) return {};
  return unexpected(usage_error("\"" + name + "\" is not a network name: lower-case letters, digits and hyphens"));
}

class ListNetworks final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    Answer answer{.data = Json::array()};
    for (const std::string_view name : built_in) answer.data.push(describe(context, std::string(name)));
    for (const auto& [name, settings] : config->networks) {
      if (std::find(built_in.begin(), built_in.end(), name) == built_in.end())
        answer.data.push(describe(context, name));
    }
    return answer;
  }
};

class ShowNetwork final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "network (default: that of -n)"); }
  Result<Answer, Stop> run(Context& context) override {
    if (!name_) {
      const auto chosen = SVC_TRY(context.network_name());
      name_ = chosen.text;
    }
    SVC_TRY(check_name(*name_));
    const auto config = SVC_TRY(context.config());
    const bool known =
        std::find(built_in.begin(), built_in.end(), *name_) != built_in.end() || config->networks.contains(*name_);
    if (!known) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "network_unknown",
                                     .message = "no network is named " + *name_,
                                     .actions = {"svc network list"}}));
    }
    return Answer{.data = describe(context, *name_), .view = {{}, Layout::sheet}};
  }

 private:
  std::optional<std::string> name_;
};

// One host serves one network, so an address cannot be that of two: credentials would go where they do not belong.
// (API: What the service does, rule 5; D-639)
Result<void, Failure> check_free(const Config& config, const std::string& name, const std::optional<std::string>& text) {
  const auto url = text ? api::parse_url(*text) : Result<api::Url, std::string>(unexpected(std::string()));
  if (!url) return {};
  for (const auto& [other, settings] : config.networks) {
    if (other == name) continue;
    for (const auto& taken : {settings.rest, settings.ws}) {
      const auto place = taken ? api::parse_url(*taken) : Result<api::Url, std::string>(unexpected(std::string()));
      if (!place || !same_place(*place, *url)) continue;
      Failure failure = guard("wrong_network", api::authority(*url) + " is the host of network " + other + ", so it is not that of " +
                                                   name + "; nothing was changed");
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
    for (const auto& url : {settings_.rest, settings_.ws}) {
      SVC_TRY(check_free(*config, name_, url));
    }
    if (chain_id_) settings_.chain_id = std::to_string(*chain_id_);
    Config changed = *config;
    changed.networks[name_].adopt(settings_);
    SVC_TRY(check_addresses(changed.networks[name_]));
    if (context.globals().dry_run) {
      context.adopt(Paths(*paths), std::move(changed));  // of this run alone
      Json plan = Json::object({{"dry_run", true}, {"operation", "network_add"}});
      const Json row = describe(context, name_);
      for (std::size_t i = 0; i < row.keys().size(); ++i) plan.set(row.keys()[i], row.items()[i]);
      plan.set("file", paths->config_file().string());
      return unexpected(dry_run(std::move(plan)));
    }
    SVC_TRY(store_network(*paths, name_, settings_));
    const auto reloaded = SVC_TRY(load_config(*paths));
    context.adopt(Paths(*paths), Config(reloaded));
    return Answer{.data = describe(context, name_), .view = {{}, Layout::sheet}};
  }

 private:
  Result<void, Failure> check() const {
    if (const auto valid = check_name(name_); !valid) return valid;
    const bool anything =
        settings_.rest || settings_.ws || settings_.funds || settings_.domain_name || chain_id_ || settings_.deployment;
    if (!anything) return unexpected(usage_error("network add needs at least --rest URL"));
    if (name_ == "mainnet" && settings_.funds == "play") {
      return unexpected(guard("wrong_funds", "mainnet holds real funds and cannot be labelled play"));
    }
    if (const auto valid = check_url("--rest", settings_.rest, false); !valid) return valid;
    return check_url("--ws", settings_.ws, true);
  }

  // As the network will be: what was said of it before may not fit what is said now.
  Result<void, Failure> check_addresses(const NetworkConfig& network) const {
    for (const auto& text : {network.rest, network.ws}) {
      const auto url = api::parse_url(text.value_or(""));
      if (!url) continue;
      if (const auto safe = check_privacy(name_, funds_of(name_, network), *url); !safe) return safe;
    }
    return {};
  }

  std::string name_;
  NetworkConfig settings_;
  std::optional<std::uint64_t> chain_id_;
};

class RemoveNetwork final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.positional("NAME", name_, "network to forget"); }
  Result<Answer, Stop> run(Context& context) override {
    const auto config = SVC_TRY(context.config());
    if (!config->networks.contains(name_)) {
      return unexpected(Stop(Failure{.exit = ExitCode::not_found,
                                     .code = "network_unknown",
                                     .message = "the configuration has no network " + name_}));
    }
    if (context.globals().dry_run) {
      return unexpected(dry_run(Json::object({{"dry_run", true},
                                                  {"operation", "network_remove"},
                                                  {"name", name_},
                                                  {"file", (*context.paths())->config_file().string()}})));
    }
    SVC_TRY(store_network(**context.paths(), name_, std::nullopt));
    return Answer{.data = Json::object({{"name", name_}, {"removed", true}})};
  }

 private:
  std::string name_;
};

class DiscoverNetwork final : public Command {
 public:
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    if (context.globals().dry_run) {
      return unexpected(Stop(usage_error("network discover asks the server, and a dry run asks nobody")));
    }
    const auto facts = SVC_TRY(exchange.fresh_facts());
    const Network& network = exchange.network();
    const auto domain = domain_name(*facts, network);
    const auto deployment = deployment_text(*facts, network);
    const Json* published = facts->signing_domain(network);
    const auto published_chain_id = published == nullptr ? std::nullopt : published->integer_at("chain_id");
    for (const TermsUnknown* why : {domain ? nullptr : &domain.error(), deployment ? nullptr : &deployment.error()}) {
      if (why != nullptr && why->code.ends_with("_contradicted")) context.notice(why->code, why->reason);
    }
    Json data = Json::object({{"name", network.name},
                              {"rest", api::to_string(network.rest)},
                              {"serves", facts->serves(network)},
                              {"current_api_version", facts->metadata.string_at("current_api_version")},
                              {"min_api_version", facts->metadata.string_at("min_api_version")},
                              {"domain_name", domain ? Json(*domain) : Json()},
                              {"chain_id", published_chain_id},
                              {"deployment", deployment ? Json(*deployment) : Json()},
                              {"skew_ms", facts->skew_ms}});
    data.set("metadata", facts->metadata);
    return Answer{.data = std::move(data), .view = {{}, Layout::sheet}};
  }
};

}  // namespace

std::span<const CommandRow> network_commands() {
  static const CommandRow rows[]{
      {"network list", "", "List networks and where they are", make<ListNetworks>, Repeats::yes},
      {"network show", "[NAME]", "Show one network", make<ShowNetwork>, Repeats::yes},
      {"network add", "NAME --rest URL", "Add a network, or re-point one", make<AddNetwork>},
      {"network remove", "NAME", "Forget what was added", make<RemoveNetwork>},
      {"network discover", "", "Ask the server what it is", make<DiscoverNetwork>, Repeats::yes},
  };
  return rows;
}

}  // namespace svc::cli
