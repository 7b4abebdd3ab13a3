// The host of a network: what it says of itself, and whether it is the one that was named.
#include <algorithm>

#include "api/version.h"
#include "base/limits.h"
#include "cli/config/running_sandbox.h"
#include "cli/exchange/exchange.h"
#include "cli/exchange/http_date.h"
#include "cli/exchange/real_funds.h"
#include "cli/exchange/refusal.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

// Of what a link header calls the guidance; empty if it names none. (API: Versioning, rule 6)
std::string deprecation_link(std::string_view link) {
  const auto begin = link.find('<'), end = link.find('>');
  const bool named = link.find("deprecation") != std::string_view::npos;
  return named && begin < end && end != std::string_view::npos ? std::string(link.substr(begin + 1, end - begin - 1))
                                                               : std::string();
}

std::string first_text(std::initializer_list<std::optional<std::string_view>> texts) {
  for (const auto& text : texts)
    if (text && !text->empty()) return std::string(*text);
  return {};
}

}  // namespace

Result<const ServerFacts*, Stop> Exchange::facts() {
  if (facts_) return &*facts_;
  auto cached = cached_facts(*paths_, *network_);
  const bool may_ask = context_->may_read();
  if (cached && (!may_ask || is_fresh(*cached, *network_, context_->now_ms()))) {
    facts_ = std::move(*cached);
    return &*facts_;
  }
  if (!may_ask) {
    facts_ = ServerFacts{};
    return &*facts_;
  }
  return fresh_facts();
}

Result<const ServerFacts*, Stop> Exchange::fresh_facts() {
  return ask_host(Asking::patiently);
}

Result<const ServerFacts*, Stop> Exchange::ask_host(Asking how) {
  const Globals& globals = context_->globals();
  const Call call = call_of<api::ops::GetMetadata>();
  const auto pause_ms = [&](const auto& response) -> std::optional<std::int64_t> {
    if (how == Asking::hurriedly) return std::nullopt;
    // Whoever cannot be connected to will not get the call itself either.
    const bool again = how == Asking::patiently || (!response && response.error().delivery == api::Delivery::not_sent);
    if (!response) return again ? std::optional(limits::retry_pause_ms) : std::nullopt;
    if (response->status != 429 || globals.rate != RateMode::wait) return std::nullopt;
    return std::min(failure_of(call, *response, network_->name).retry_after_ms.value_or(limits::retry_pause_ms),
                    limits::rate_wait_ms_max);
  };
  const TimestampMs began_ms = context_->now_ms();
  const Ask ask = [&](const api::HttpRequest& request) -> Result<api::HttpResponse, api::TransportError> {
    if (how == Asking::hurriedly && context_->now_ms() - began_ms >= identity_patience_way_out_ms)
      return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = "no time to ask on"});
    auto response = send(request);
    for (int left = globals.retries; left > 0 && pause_ms(response) && has_time_for(*pause_ms(response)); --left) {
      context_->environment().sleep_ms(*pause_ms(response));
      response = send(request);
    }
    return response;
  };
  // The connection for what follows waits as long as its user wishes; this one does not.
  std::unique_ptr<api::Transport> patient;
  const std::int64_t patient_ms = transport_timeout_ms_;
  const bool hurries = how == Asking::hurriedly && globals.timeout_ms > identity_patience_way_out_ms;
  if (hurries) {
    std::swap(patient, transport_);
    static_cast<void>(connect(identity_patience_way_out_ms));
  }
  auto heard = ask_facts(*network_, globals.api_version.value_or(std::string(api::client_version)), ask,
                         [&] { return context_->now_ms(); });
  if (hurries) {
    transport_ = std::move(patient);
    transport_timeout_ms_ = patient_ms;
  }
  if (!heard) {
    Failure failure = heard.error();
    explain_absence(failure);
    return unexpected(Stop(std::move(failure)));
  }
  facts_ = std::move(*heard);
  if (const auto stored = cache_facts(*paths_, *network_, *facts_); !stored)
    context_->notice("not_kept", stored.error().message);
  return &*facts_;
}

Result<Exchange::HostStanding, Stop> Exchange::know_host(Asking how) {
  if (host_ && (*host_ != HostStanding::unreachable || how != Asking::patiently)) return *host_;
  const auto bound_to = bound_network(*paths_, *network_);
  const auto learn = [&](Identity identity, const ServerFacts& facts) {
    host_ = identity == Identity::proved ? HostStanding::proved : HostStanding::silent;
    if (identity != Identity::proved || bound_to || !context_->may_read()) return *host_;
    const auto bound = bind_network(*paths_, *network_, *facts.serves(*network_));
    if (!bound) context_->notice("not_kept", bound.error().message);
    return *host_;
  };
  const auto last = facts_ ? facts_ : cached_facts(*paths_, *network_);
  if (last && names_network_freshly(*last, *network_, context_->now_ms())) {
    // What was another network may be the right one by now.
    const auto identity = check_identity(*last, *network_, bound_to);
    if (identity) return learn(*identity, *last);
  }
  const auto last_word = [&]() -> Result<void, Stop> {
    if (!last) return {};
    const auto identity = check_identity(*last, *network_, bound_to);
    return identity ? Result<void, Stop>() : unexpected(Stop(identity.error()));
  };
  if (!context_->may_read()) {
    SVC_TRY(last_word());
    host_ = HostStanding::not_asked;
    return *host_;
  }
  const auto asked = ask_host(how);
  if (asked) {
    const auto identity = SVC_TRY(check_identity(**asked, *network_, bound_to));
    return learn(identity, **asked);
  }
  SVC_TRY(last_word());
  const auto* failure = std::get_if<Failure>(&asked.error().why);
  unanswered_ = failure != nullptr ? *failure : Failure{};
  host_ = HostStanding::unreachable;
  if (how == Asking::patiently) return *host_;
  go_on_with(last, false);
  return *host_;
}

Result<const ServerFacts*, Stop> Exchange::facts_for(const Call& call) {
  if (facts_ || !leaves(call) || !context_->may_read()) return facts();
  auto last = cached_facts(*paths_, *network_);
  const bool fresh = last && is_fresh(*last, *network_, context_->now_ms());
  if (!fresh && ask_host(Asking::hurriedly)) return &*facts_;
  go_on_with(std::move(last), fresh);
  return &*facts_;
}

// Whoever goes on without an answer goes on with what was known; how the clocks differ now is not, but for a sandbox.
void Exchange::go_on_with(std::optional<ServerFacts> last, bool fresh) {
  facts_ = last ? std::move(*last) : ServerFacts{};
  if (!fresh && !network_->is_local()) facts_->skew_ms.reset();
}

Result<void, Stop> Exchange::prove_host() {
  const auto standing = SVC_TRY(know_host(Asking::patiently));
  switch (standing) {
    case HostStanding::proved: return {};
    case HostStanding::unreachable: return unexpected(Stop(*unanswered_));
    case HostStanding::not_asked:
      context_->notice("network_unchecked", "a dry run asks nobody, so whether " + network_->origin() +
                                                " serves network " + network_->name + " was not checked");
      return {};
    case HostStanding::silent: break;
  }
  if (host_confirmed_) return {};
  if (context_->globals().dry_run) {
    context_->notice("network_unproved", network_->origin() + " does not say which network it serves");
    return {};
  }
  SVC_TRY(guard_silent_host(*context_, *network_));
  host_confirmed_ = true;
  return {};
}

Result<void, Stop> Exchange::admit_host(const Call& call, const Credential& credential) {
  const api::Operation& operation = *call.operation;
  // A sandbox's control surface belongs to no network and takes no credential.
  if (operation.group == "control") return {};
  const bool bears_secret = std::holds_alternative<BearerCredential>(credential.how);
  const bool is_signed = !std::holds_alternative<NoCredential>(credential.how) || call.owner_struct != nullptr;
  if (!is_signed && !operation.is_write()) return {};
  // A signed request gives nothing away that could be used again: the secret stays here.
  const bool harmless = is_signed && !bears_secret && call.owner_struct == nullptr && moves_nothing(operation);
  const bool way_out = operation.is_write() ? call.direction == Direction::way_out : harmless && leaves(call);
  if (!way_out && !harmless) return prove_host();
  const auto standing = SVC_TRY(know_host(way_out ? Asking::hurriedly : Asking::once));
  if (standing == HostStanding::proved) return {};
  if (standing == HostStanding::not_asked) return prove_host();
  if (standing == HostStanding::unreachable && !way_out && unanswered_->code == "not_sent")
    return unexpected(Stop(*unanswered_));
  context_->notice("network_unproved",
                   network_->origin() + " does not say which network it serves" +
                       (standing == HostStanding::unreachable ? " (" + unanswered_->message + ")" : "") +
                       "; sent all the same",
                   Context::Told::by_first_of_shell);
  return {};
}

Result<void, Stop> Exchange::check_stream_host() {
  const auto url = network_->ws ? api::parse_url(*network_->ws) : Result<api::Url, std::string>(network_->rest);
  const bool elsewhere = url && !same_place(*url, network_->rest);
  if (!elsewhere || stream_host_checked_ || !context_->may_read()) return {};
  SVC_TRY(prove_host());
  const auto known = SVC_TRY(facts());
  stream_host_checked_ = true;
  const Json* row = known->row_of(known->serves(*network_).value_or(network_->name));
  for (const auto& published : {known->metadata.string_at("ws_url"), row ? row->string_at("ws_url") : std::nullopt,
                                row ? row->string_at("ws_authenticated_url") : std::nullopt}) {
    const auto named = published ? api::parse_url(*published) : Result<api::Url, std::string>(unexpected(std::string()));
    if (named && same_place(*named, *url)) return {};
  }
  Network streams = *network_;
  streams.rest = *url;
  streams.rest.scheme = api::is_tls(url->scheme) ? api::Scheme::https : api::Scheme::http;
  const Globals& globals = context_->globals();
  auto transport = context_->environment().connect(
      {.origin = streams.origin(),
       .timeout_ms = std::min(globals.timeout_ms, identity_patience_way_out_ms),
       .proxy = globals.proxy,
       .ca = globals.ca});
  const auto heard = transport ? ask_facts(streams, globals.api_version.value_or(std::string(api::client_version)),
                                           [&](const api::HttpRequest& request) { return (*transport)->send(request); },
                                           [&] { return context_->now_ms(); })
                               : Result<ServerFacts, Failure>(unexpected(Failure{}));
  // Gateways of streams often serve nothing else, and a token is of use on the network alone that minted it.
  if (!heard) return {};
  SVC_TRY(check_identity(*heard, streams, bound_network(*paths_, *network_)));
  return {};
}

void Exchange::heed_deprecation(const api::HttpRequest& request, const api::HttpResponse& response) {
  const auto deprecation = response.headers.find("Deprecation");
  const auto sunset = response.headers.find("Sunset");
  if (!deprecation && !sunset) return;
  const std::string ours = first_text({request.headers.find(api::version_header), api::client_version});
  const auto ends_ms = sunset ? parse_http_date(*sunset) : std::nullopt;
  std::string message = "API version " + ours + " is announced to end" + (ends_ms ? ": it is served until " + rfc3339(*ends_ms) : "");
  if (const auto link = response.headers.find("Link")) {
    const std::string guidance = deprecation_link(*link);
    if (!guidance.empty()) message += "; see " + escaped(guidance);
  }
  const bool is_news = context_->first_today(message);
  context_->notice("deprecated", message, is_news ? Context::Told::by_each_line : Context::Told::in_documents);
}

void Exchange::explain_absence(Failure& failure) const {
  if (!network_->is_local() || failure.code != "not_sent" || !api::is_loopback(network_->rest.host)) return;
  const auto running = running_sandboxes(*paths_);
  if (running.empty()) {
    failure.message += "; no sandbox is running";
    failure.actions.insert(failure.actions.begin(), "svc serve --local &");
    return;
  }
  for (const RunningSandbox& one : running) {
    failure.message += "; sandbox " + one.name + " runs at " + one.url;
    failure.actions.push_back("eval \"$(svc local env --name " + one.name + ")\"");
  }
}

void Exchange::explain_version(Failure& failure, const api::HttpResponse& response) {
  const bool of_version = failure.code == "api_version_unsupported" || response.headers.find(api::min_version_header);
  if (failure.exit != ExitCode::version || !of_version) return;
  const auto in = [](const Json& document, std::string_view path) { return document.string_at(path); };
  const Json& said = failure.details;
  Json metadata;
  const bool says_all = in(said, "min_version") && in(said, "spec_url");
  if (const auto known = says_all ? Result<const ServerFacts*, Stop>(nullptr) : facts(); known && *known != nullptr)
    metadata = (*known)->metadata;
  const std::string least = first_text({in(said, "min_version"), response.headers.find(api::min_version_header),
                                        in(metadata, "min_api_version")});
  const std::string spec = first_text({in(said, "spec_url"), in(metadata, "api_version.spec_url")});
  if (!least.empty()) {
    failure.message += "; the oldest version that is served is " + least;
    failure.details.set("min_version", least);
  }
  if (!spec.empty()) {
    failure.message += ", described at " + spec;
    failure.details.set("spec_url", spec);
  }
}

}  // namespace svc::cli
