#include "cli/exchange/exchange.h"

#include <algorithm>

#include "api/ops/venue.h"
#include "api/version.h"
#include "base/limits.h"
#include "cli/command_table.h"
#include "cli/exchange/http_date.h"
#include "cli/exchange/nonce_file.h"
#include "cli/exchange/redaction.h"
#include "cli/exchange/refusal.h"
#include "cli/exchange/signed_note.h"
#include "cli/secrets/secret_input.h"

namespace svc::cli {

Result<Exchange, Failure> Exchange::open(Context& context) {
  const auto network = SVC_TRY(context.network());
  return Exchange(context, *network, **context.paths());
}

// Steps, so that a connection is good for more than one request.
std::optional<std::int64_t> Exchange::answer_timeout_ms() const {
  const std::int64_t asked_ms = context_->globals().timeout_ms;
  if (!stop_at_uptime_ms_) return asked_ms;
  // Connecting may take as long as the answer.
  const std::int64_t left_ms = (*stop_at_uptime_ms_ - context_->environment().uptime_ms()) / 2;
  if (left_ms <= 0) return std::nullopt;
  for (const std::int64_t step_ms : {10'000, 5'000, 2'500, 1'000, 500})
    if (step_ms <= left_ms) return std::min(step_ms, asked_ms);
  return std::min(left_ms, asked_ms);
}

bool Exchange::has_time_for(std::int64_t pause_ms) const {
  return !stop_at_uptime_ms_ || context_->environment().uptime_ms() + pause_ms < *stop_at_uptime_ms_;
}

Result<void, std::string> Exchange::connect(std::int64_t timeout_ms) {
  const Globals& globals = context_->globals();
  auto transport = SVC_TRY(context_->environment().connect(
      {.origin = network_->origin(), .timeout_ms = timeout_ms, .proxy = globals.proxy, .ca = globals.ca}));
  transport_ = std::move(transport);
  transport_timeout_ms_ = timeout_ms;
  return {};
}

Result<api::HttpResponse, api::TransportError> Exchange::send(const api::HttpRequest& request) {
  const Globals& globals = context_->globals();
  const auto timeout_ms = answer_timeout_ms();
  if (!timeout_ms) {
    return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = "the time to look is over"});
  }
  if (!transport_ || *timeout_ms != transport_timeout_ms_) {
    if (const auto open = connect(*timeout_ms); !open)
      return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = open.error()});
  }
  const auto show = [&](char mark, const std::string& line) {
    context_->environment().err(std::string(1, mark) + " " + line + "\n");
  };
  if (globals.debug_http) {
    show('>', request.method + " " + network_->origin() + request.target);
    for (const api::Header& header : request.headers) {
      show('>', header.name + ": " + shown_header(header.name, header.value, Stand::size));
    }
    if (!request.body.empty()) show('>', shown_body(request.body, Stand::size));
  }
  if (globals.record_file && !wire_log_) {
    auto log = WireLog::open(*globals.record_file);
    if (log) {
      wire_log_.emplace(std::move(*log));
    } else if (is_way_out(context_->row(), context_->typed())) {
      context_->notice("not_recorded", log.error() + "; sent all the same");
    } else {
      return unexpected(api::TransportError{.delivery = api::Delivery::not_sent, .reason = log.error()});
    }
  }
  const TimestampMs sent_at_ms = context_->now_ms();
  auto response = transport_->send(request);
  if (wire_log_) wire_log_->add(network_->origin(), request, response, sent_at_ms, context_->now_ms());
  if (response) {
    if (const auto date = response->headers.find("Date")) server_date_ms_ = parse_http_date(*date);
    heed_deprecation(request, *response);
  }
  if (globals.debug_http) {
    if (!response) {
      show('<', "no answer: " + response.error().reason);
    } else {
      show('<', std::to_string(response->status));
      for (const api::Header& header : response->headers) {
        show('<', header.name + ": " + shown_header(header.name, header.value, Stand::size));
      }
      if (!response->body.empty()) show('<', shown_body(response->body, Stand::size));
    }
  }
  return response;
}

Result<std::optional<ActionSigner>, Stop> Exchange::action_signer(const Call& call, const Credential& credential) {
  using None = std::optional<ActionSigner>;
  if (call.operation->action == api::Action::none || call.action == ActionChoice::omitted) return None{};
  const bool demanded = call.action == ActionChoice::demanded;
  const auto leave_out = [&](std::string code, std::string reason) -> Result<None, Stop> {
    if (demanded) return unexpected(Stop(guard(std::move(code), "the action cannot be signed: " + reason)));
    tell_unsigned(reason);
    return None{};
  };
  const std::optional<std::string> wallet = context_->globals().signer ? context_->globals().signer : credential.wallet;
  if (!wallet) return leave_out("no_wallet", "no wallet is known for this credential");
  const auto* agent = std::get_if<AgentCredential>(&credential.how);
  if (context_->globals().dry_run && agent == nullptr && is_external_signer(*wallet)) {
    return leave_out("signer_not_asked", "a signer outside is not asked in a dry run");
  }
  const bool at_hand = wallet_signer_ || agent != nullptr || (demanded && context_->may_ask()) ||
                       signs_unasked(*context_, network_->name, *wallet);
  if (!at_hand && demanded) {
    return unexpected(Stop(Failure{.exit = ExitCode::authentication,
                                   .code = "wallet_locked",
                                   .message = "the action cannot be signed: wallet " + *wallet + " is locked",
                                   .actions = {"add --password-file FILE"}}));
  }
  if (!at_hand) {
    return leave_out("wallet_locked", "wallet " + *wallet + " is locked; svc keystore unlock " + *wallet +
                                             " unlocks it for all commands, --password-file FILE for one");
  }
  const auto known = SVC_TRY(facts_for(call));
  const auto terms = signing_terms(*known, *network_);
  if (!terms) return leave_out(terms.error().code, terms.error().reason);
  const bool may_go_on = may_go_unsigned(call, credential);
  if (may_go_on && wallet_failure_) return leave_out(wallet_failure_->code, wallet_failure_->message);
  const auto holder = agent != nullptr ? Result<const Signer*, Failure>(agent->signer.get()) : wallet_signer(*wallet);
  if (!holder && may_go_on) {
    wallet_failure_ = holder.error();
    return leave_out(wallet_failure_->code, wallet_failure_->message);
  }
  if (!holder) return unexpected(Stop(holder.error()));
  const Address signer = (*holder)->address();
  // A cancel has no time to wait for its turn; an agent's needs the nonce all the same.
  const bool hurries = call.direction == Direction::way_out && agent == nullptr && !demanded;
  const auto nonce = next_nonce(signer, hurries ? limits::lane_patience_way_out_ms : limits::lane_patience_ms);
  const auto* refused = nonce ? nullptr : std::get_if<Failure>(&nonce.error().why);
  if (hurries && may_go_on && refused != nullptr) return leave_out(refused->code, refused->message);
  if (!nonce) return unexpected(nonce.error());
  const auto known_account = context_->globals().account ? context_->globals().account : credential.account;
  if (agent != nullptr && !known_account) {
    return leave_out("account_unknown",
                     "it is not known here for whom agent " + to_string(signer) + " may trade; -a names the account");
  }
  const Address account = known_account.value_or(signer);
  return None(ActionSigner{.signer = **holder,
                           .domain = terms->domain,
                           .deployment = terms->deployment,
                           .account = account,
                           .names_account = context_->globals().account || credential.account != account,
                           .nonce = *nonce});
}

bool Exchange::leaves(const Call& call) const {
  return call.direction == Direction::way_out || is_way_out(context_->row(), context_->typed());
}

bool Exchange::acts_for_another(const Credential& credential) const {
  const auto& account = context_->globals().account;
  return account && credential.account && *account != *credential.account;
}

bool Exchange::may_go_unsigned(const Call& call, const Credential& credential) const {
  return leaves(call) && call.action == ActionChoice::when_unlocked && !acts_for_another(credential) &&
         !std::holds_alternative<AgentCredential>(credential.how);
}

void Exchange::tell_unsigned(const std::string& reason) {
  const std::string_view tense = context_->globals().dry_run ? "would be sent" : "sent";
  context_->notice("action_omitted", std::string(tense) + " without a signed action: " + reason,
                   Context::Told::by_first_of_day);
}

Result<const Signer*, Failure> Exchange::wallet_signer(const std::string& wallet) {
  if (!wallet_signer_) {
    auto signer = SVC_TRY(open_signer(*context_, network_->name, wallet));
    wallet_signer_ = std::move(signer);
  }
  return wallet_signer_.get();
}

Result<void, Failure> Exchange::wait_for_lane(const Address& signer, std::int64_t patience_ms) {
  constexpr std::int64_t pause_ms = 2, silent_ms = 2 * second_ms;
  bool told = false;
  for (std::int64_t waited_ms = 0;; waited_ms += pause_ms) {
    auto lane = SVC_TRY(try_nonce_lane(*paths_, network_->name, signer));
    if (lane) {
      lane_.emplace(std::move(*lane));
      return {};
    }
    if (waited_ms >= patience_ms || context_->environment().interrupted()) break;
    if (waited_ms >= silent_ms && !told) context_->say("note: waiting for another svc that sends with this wallet");
    told = told || waited_ms >= silent_ms;
    context_->environment().sleep_ms(pause_ms);
  }
  return unexpected(Failure{
      .exit = ExitCode::unavailable,
      .code = std::string(wallet_busy_code),
      .message = "another svc is sending with wallet " + to_string(signer) + " and has no answer yet; nothing was sent",
      .retryable = true});
}

Result<std::uint64_t, Stop> Exchange::next_nonce(const Address& signer, std::int64_t patience_ms) {
  const bool dry_run = context_->globals().dry_run;
  if (!dry_run && !lane_) {
    SVC_TRY(wait_for_lane(signer, patience_ms));
  }
  const auto nonce = dry_run ? peek_nonce(*paths_, network_->name, signer, context_->now_ms())
                             : take_nonce(*paths_, network_->name, signer, context_->now_ms(), patience_ms);
  if (!nonce) return unexpected(Stop(nonce.error()));
  return *nonce;
}

Result<Exchange::Owner, Stop> Exchange::owner() {
  SVC_TRY(prove_host());
  const auto known = SVC_TRY(facts());
  auto terms = signing_terms(*known, *network_);
  if (!terms) return unexpected(Stop(nothing_signed(terms.error(), *network_)));
  const auto wallet = SVC_TRY(choose_wallet(*context_, *network_));
  const auto signer = SVC_TRY(wallet_signer(wallet));
  return Owner{.account = signer->address(), .signer = signer, .terms = std::move(*terms)};
}

Result<Exchange::Registrar, Stop> Exchange::registrar() {
  SVC_TRY(prove_host());
  const auto known = SVC_TRY(facts());
  auto domain = registration_terms(*known, *network_);
  if (!domain) return unexpected(Stop(nothing_signed(domain.error(), *network_)));
  const auto wallet = SVC_TRY(choose_wallet(*context_, *network_));
  const auto signer = SVC_TRY(wallet_signer(wallet));
  return Registrar{.account = signer->address(), .signer = signer, .domain = std::move(*domain)};
}

void Exchange::charge(const Outgoing& outgoing, const api::HttpResponse* response) {
  Json& meta = context_->facts().meta;
  std::uint64_t weight = outgoing.weight;
  if (meta.string_at("cost.bucket") == std::string_view(outgoing.bucket)) {
    weight += static_cast<std::uint64_t>(meta.integer_at("cost.weight").value_or(0));
  }
  meta.set("cost", Json::object({{"bucket", outgoing.bucket}, {"weight", weight}}));
  meta.set("skew_ms", facts_ ? Json(facts_->skew_ms) : Json());
  if (response == nullptr) return;
  const auto limit = response->headers.find("x-ratelimit-limit");
  const auto remaining = response->headers.find("x-ratelimit-remaining");
  if (limit && remaining) {
    const auto number = [](std::string_view text) {
      const auto parsed = parse_json(text);
      return parsed && parsed->is(Json::Kind::number) ? *parsed : Json(text);
    };
    meta.set("rate", Json::object({{"limit", number(*limit)}, {"remaining", number(*remaining)}}));
  }
}

void Exchange::announce(const Call& call, const Credential& credential) {
  const bool real_write = network_->real_funds() && call.operation->is_write();
  if (!context_->globals().verbose && !real_write) return;
  std::string line = network_->name + ": " + std::string(to_string(network_->funds)) + " funds, " + network_->origin() +
                     " (" + network_->rest_source + ")";
  if (credential.account) line += ", account " + to_string(*credential.account);
  line += ", " + std::string(credential.scheme()) + " credential";
  const bool red = real_write && context_->environment().err_is_terminal && context_->globals().color != "never";
  context_->say(red ? "\x1b[41;97m" + line + "\x1b[0m" : line);
}

Result<void, Stop> Exchange::sign_as_owner(Outgoing& outgoing, const Call& call, TimestampMs timestamp_ms) {
  const auto signer = owner();
  if (!signer) return unexpected(signer.error());
  OwnerStamp stamp{.timestamp_ms = static_cast<std::uint64_t>(timestamp_ms), .nonce = 0};
  api::Headers& headers = outgoing.request.headers;
  headers.add("X-Timestamp", std::to_string(timestamp_ms));
  if (call.operation->is_write()) {
    const auto nonce = SVC_TRY(next_nonce(signer->account));
    stamp.nonce = nonce;
    headers.add("X-Nonce", std::to_string(nonce));
  }
  const signing::Domain& domain = signer->terms.domain;
  const OwnerSigned asked = call.owner_struct(stamp);
  const auto signature =
      SVC_TRY(sign_struct(*context_, *signer->signer, domain,
                          {.digest = signing::typed_data_digest(signing::separator(domain), asked.hash),
                           .document = [&] { return asked.document(domain); }}));
  headers.add("X-Signature", signing::to_string(signature));
  return {};
}

}  // namespace svc::cli
