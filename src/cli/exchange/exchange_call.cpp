// One call from its admission to its answer.
#include <algorithm>

#include "api/ops/account.h"
#include "api/version.h"
#include "base/hex.h"
#include "base/limits.h"
#include "cli/command_table.h"
#include "cli/exchange/answer_check.h"
#include "cli/exchange/client_id.h"
#include "cli/exchange/command_line.h"
#include "cli/exchange/exchange.h"
#include "cli/exchange/extra_fields.h"
#include "cli/exchange/failure_log.h"
#include "cli/exchange/real_funds.h"
#include "cli/exchange/redaction.h"
#include "cli/exchange/refusal.h"
#include "cli/exchange/retry.h"
#include "cli/guards/guards.h"
#include "cli/outbox/reconcile.h"
#include "cli/render.h"
#include "cli/secrets/wallet_store.h"
#include "cli/sitting.h"
#include "signing/hash.h"

namespace svc::cli {
namespace {

std::string wait_text(std::int64_t ms) {
  return std::to_string(ms / second_ms) + "." + std::to_string(ms % second_ms / 100) + " s";
}

bool is_signed_with_time(const Call& call, const Credential& credential) {
  return std::holds_alternative<HmacCredential>(credential.how) ||
         std::holds_alternative<AgentCredential>(credential.how) || call.owner_struct != nullptr;
}

// A nonce that is signed with the request, or in it: no copy of the request is accepted after it.
Sending sending_of(const Call& call, const Credential& credential, const Outgoing& outgoing) {
  const auto body = parse_json(call.body);
  const bool has_nonce = outgoing.action || call.owner_struct || (body && body->find("nonce") != nullptr) ||
                         std::holds_alternative<AgentCredential>(credential.how);
  return has_nonce ? Sending::once_with_nonce : Sending::once;
}

// For a signature; the skew is a measurement.
bool same(const ServerFacts& a, const ServerFacts& b) {
  return a.metadata.dump() == b.metadata.dump() &&
         std::abs(a.skew_ms.value_or(0) - b.skew_ms.value_or(0)) < 2 * second_ms;
}

// Those of the call, or of a body that was typed.
std::vector<std::string> client_ids_of(const Call& call, const Json& body) {
  if (!call.client_ids.empty()) return call.client_ids;
  const auto id = body.string_at("client_id");
  return id ? std::vector{std::string(*id)} : std::vector<std::string>{};
}

// What the account of this credential shows proves something of that write. Where an account is not known the key that
// signed it is the account's as well.
bool tells_of(const outbox::Entry& entry, const Credential& credential) {
  if (credential.account && !entry.account.empty()) return to_string(*credential.account) == entry.account;
  return !entry.key.empty() && entry.key == credential.key();
}

Failure another_account(const outbox::Entry& entry, const Credential& credential) {
  const std::string flags = (entry.scheme == "agent" ? "--auth agent " : "") + std::string("--signer ") + entry.wallet;
  Failure failure{.exit = ExitCode::authentication,
                  .code = std::string(another_account_code),
                  .message = "it was sent for " +
                             (entry.account.empty() ? "an account that is not known" : "account " + entry.account) +
                             (entry.wallet.empty() ? "" : " (wallet " + entry.wallet + ")") + ", and " +
                             (credential.account ? "account " + to_string(*credential.account)
                                                 : "the account of the credential in use") +
                             " shows nothing of it"};
  if (!entry.wallet.empty()) {
    failure.message += "; look with " + flags;
    failure.actions = {"add " + flags};
  } else if (!entry.key.empty()) {
    failure.message += "; look with the key that signed it, " + entry.key;
  }
  return failure;
}

}  // namespace

std::string Exchange::sent_for(const Credential& credential) const {
  if (acts_for_another(credential)) return to_string(*context_->globals().account);
  return credential.account ? to_string(*credential.account) : context_->facts().account.value_or("");
}

Result<void, Failure> Exchange::can_tell_of(const outbox::Entry& entry) {
  const auto credential = SVC_TRY(choose_credential(*context_, *network_, call_of<api::ops::GetAccount>()));
  if (!tells_of(entry, credential)) return unexpected(another_account(entry, credential));
  return {};
}

Result<std::int64_t, Stop> Exchange::clock_shift(const Call& call, const Credential& credential) {
  if (!is_signed_with_time(call, credential)) return 0;
  const auto known = SVC_TRY(facts_for(call));
  SVC_TRY(check_identity(*known, *network_, {}));
  if (const auto near = check_skew(*known, *network_); !near && !leaves(call)) return unexpected(Stop(near.error()));
  const std::int64_t shift_ms = correction_ms(*known);
  if (shift_ms != 0 && !network_->is_local()) {
    context_->notice("clock_corrected", "timestamps are corrected by " + wait_text(std::abs(shift_ms)));
  }
  return shift_ms;
}

Result<Outgoing, Stop> Exchange::make_outgoing(const Call& call, const Credential& credential,
                                               std::int64_t clock_shift_ms) {
  const Globals& globals = context_->globals();
  const auto where = SVC_TRY(address(call, *network_, globals.surface));
  const Hurried hurried(*context_, may_go_unsigned(call, credential));
  const auto signer = SVC_TRY(action_signer(call, credential));
  if (acts_for_another(credential) && !signer) {
    return unexpected(Stop(guard("action_needed", "acting for " + to_string(*globals.account) +
                                                      " needs a signed action, and this one is not signed")));
  }
  // Not before the nonce was ours to draw: others may have kept us waiting for it.
  const TimestampMs signed_at_ms = context_->now_ms() + clock_shift_ms;
  const std::string version = globals.api_version.value_or(std::string(api::client_version));
  // One sequence for both signatures; a read spends nothing of it. (D-454)
  const auto* agent = std::get_if<AgentCredential>(&credential.how);
  std::uint64_t agent_nonce = signer ? signer->nonce : static_cast<std::uint64_t>(signed_at_ms);
  if (agent != nullptr && !signer && call.operation->is_write()) {
    const auto nonce = SVC_TRY(next_nonce(agent->address));
    agent_nonce = nonce;
  }
  auto outgoing = prepare(call, where, credential, signer, signed_at_ms, version, agent_nonce);
  if (!outgoing && signer && may_go_unsigned(call, credential)) {
    wallet_failure_ = outgoing.error();
    tell_unsigned(wallet_failure_->message);
    outgoing = prepare(call, where, credential, {}, context_->now_ms() + clock_shift_ms, version, agent_nonce);
  }
  if (!outgoing) return unexpected(Stop(outgoing.error()));
  if (call.owner_struct) {
    SVC_TRY(sign_as_owner(*outgoing, call, signed_at_ms));
  }
  // A person at a signer may take longer than the service accepts the time that was signed.
  const std::int64_t took_ms = context_->now_ms() + clock_shift_ms - signed_at_ms;
  if (is_signed_with_time(call, credential) && took_ms >= limits::auth_window_ms) {
    return unexpected(Stop(Failure{.exit = ExitCode::authentication,
                                   .code = "signer_too_late",
                                   .message = "signing took " + wait_text(took_ms) + ", and a signature is good for " +
                                              wait_text(limits::auth_window_ms) + " only; nothing was sent",
                                   .retryable = true}));
  }
  return std::move(*outgoing);
}

Result<void, Failure> Exchange::take_budget(const Call& call, const Credential& credential) {
  // The control surface of a sandbox is metered by nobody.
  if (call.operation->group == "control") return {};
  if (!budget_opened_) {
    auto budget = budget::Budget::open(*context_, network_->name);
    if (!budget) return unexpected(budget.error());
    if (*budget) budget_.emplace(std::move(**budget));
    budget_opened_ = true;
  }
  return budget_ ? budget_->take(*context_, call, credential, leaves(call) ? Direction::way_out : call.direction)
                 : Result<void, Failure>();
}

// The way out is never blocked, and reading needs no files: what cannot be written here is said, and the call is made.
bool Exchange::goes_on_without_files(const Call& call, const Failure& failure) {
  const bool may = call.direction == Direction::way_out || !call.operation->is_write();
  if (!may || failure.code != file_error_code) return false;
  context_->notice("not_written_down", failure.message + "; sent all the same");
  return true;
}

Result<void, Failure> Exchange::write_down(const Call& call, const Credential& credential, const Outgoing& outgoing,
                                           TimestampMs now_ms) {
  // Of a request that is sent again under its key the first entry stands for all.
  if (entry_) return entry_->sent_again(now_ms);
  const auto body = parse_json(shown_body(call.body, Stand::size));
  const Json shown = body ? *body : Json();
  const TimestampMs signed_at_ms = outgoing.signed_at_ms;
  const bool timed = is_signed_with_time(call, credential);
  outbox::Entry entry{
      .id = make_ulid(context_->environment()),
      .at_ms = signed_at_ms,
      .valid_until_ms = timed ? std::optional(signed_at_ms + limits::auth_window_ms) : std::nullopt,
      .sent_to = network_->origin(),
      .command = std::string(context_->row().path),
      .operation = std::string(call.operation->name),
      .path = call.path,
      .query = call.query,
      .body = shown,
      .account = sent_for(credential),
      .wallet = credential.wallet.value_or(""),
      .scheme = std::string(credential.scheme()),
      .key = credential.key(),
      .client_ids = client_ids_of(call, shown),
      .look_up = call.look_up,
      .before = before_,
      .written_at_ms = now_ms,
      .uptime_ms = context_->environment().uptime_ms(),
      .method = std::string(api::to_string(call.operation->method)),
      .target = outgoing.request.target,
      .nonce = outgoing.action ? std::optional(outgoing.action->nonce) : std::nullopt,
      .body_sha256 = to_hex(signing::sha256(call.body)),
      .is_looked_for = !outbox::leaves_no_trace(call.operation->name) && call.operation->group != "control"};
  auto held = outbox::Outbox(context_->environment(), *paths_, network_->name).open(entry);
  if (!held && !goes_on_without_files(call, held.error())) return unexpected(held.error());
  entry_.emplace(held ? std::move(*held) : outbox::Outbox::unwritten(std::move(entry)));
  return {};
}

void Exchange::remember(const Call& call, const Credential& credential, const Outgoing& outgoing, TimestampMs now_ms,
                        TimestampMs signed_at_ms, const Failure& failure, std::optional<int> status) {
  // What `why` asks to explain a failure is not one to be explained.
  if (call.operation->group == "control" || context_->row().path == "why") return;
  const auto* hmac = std::get_if<HmacCredential>(&credential.how);
  const auto signature = outgoing.request.headers.find("X-Signature");
  Json record = Json::object({{"version", 1},
                              {"id", make_ulid(context_->environment())},
                              {"at_ms", now_ms},
                              {"signed_at_ms", signed_at_ms},
                              {"command", context_->row().path},
                              {"operation", call.operation->name},
                              {"method", outgoing.request.method},
                              {"target", outgoing.request.target},
                              {"signed_path", outgoing.signed_path},
                              {"scheme", credential.scheme()},
                              {"canonical", outgoing.canonical}});
  record.set("key_id", hmac != nullptr ? Json(hmac->key_id) : Json());
  record.set("account", credential.account ? Json(to_string(*credential.account)) : Json());
  record.set("signature_sha256", signature ? Json(to_hex(signing::sha256(*signature))) : Json());
  if (outgoing.action) {
    record.set("action", Json::object({{"type", outgoing.action->type},
                                       {"signer", to_string(outgoing.action->signer)},
                                       {"nonce", std::to_string(outgoing.action->nonce)},
                                       {"digest", to_hex_0x(outgoing.action->digest)}}));
  }
  record.set("skew_ms", facts_ ? Json(facts_->skew_ms) : Json());
  record.set("status", status);
  record.set("code", failure.code);
  record.set("exit", static_cast<int>(failure.exit));
  record.set("message", failure.message);
  const auto kept = FailureLog(*paths_, network_->name).keep(record);
  if (!kept) context_->notice("failure_log", kept.error().message);
}

std::shared_ptr<void> Exchange::while_in_flight(const Call& call) {
  const bool alone = context_->environment().signals_are_taken || !call.operation->is_write() || !entry_;
  if (alone || moves_nothing(*call.operation)) return {};
  const outbox::Entry& entry = entry_->entry();
  std::string what = entry.client_ids.size() == 1 ? "order " + entry.client_ids.front()
                     : entry.client_ids.empty()   ? entry.method + " " + entry.target
                                                  : std::to_string(entry.client_ids.size()) + " orders";
  Failure failure{.exit = ExitCode::interrupted,
                  .code = "interrupted",
                  .message = what + (entry.client_ids.empty() ? " was sent and may have been carried out"
                                     : entry.client_ids.size() == 1 ? " was sent and may be live"
                                                                    : " were sent and may be live"),
                  .details = Json::object({{"outbox", entry.id}}),
                  .actions = call.look_up};
  Json ids = Json::array();
  for (const std::string& id : entry.client_ids) ids.push(id);
  failure.details.set("client_ids", std::move(ids));
  failure.actions.push_back(command_line(*context_, "outbox resolve " + entry.id));
  const Presentation& looks = context_->presentation();
  const auto document = [&]() -> std::string {
    if (looks.filter != nullptr || looks.goes_on) return {};
    if (looks.format == Format::json) return render_envelope(nullptr, &failure, context_->facts());
    return looks.format == Format::ndjson ? render_ndjson(nullptr, &failure, context_->facts()) : std::string();
  };
  LastWords words{.interrupted_err = "\n" + render_failure(failure), .interrupted_out = document(), .terminated_err = {},
                  .terminated_out = {}};
  failure.exit = ExitCode::terminated;
  failure.code = "terminated";
  words.terminated_err = render_failure(failure);
  words.terminated_out = document();
  return context_->environment().say_before_end(std::move(words));
}

void Exchange::conclude(const Call& call, std::optional<int> status, std::string_view code, ExitCode exit) {
  // What is read while a write is looked for says nothing of the write.
  if (!entry_ || !call.operation->is_write()) return;
  // The write is out and its fate known: a full disk must not turn that into a failure.
  const auto done =
      entry_->conclude({.at_ms = context_->now_ms(), .status = status, .code = std::string(code), .exit = exit});
  if (!done) context_->notice("journal", done.error().message);
  if (exit != ExitCode::outcome_unknown) entry_.reset();
}

Result<Reply, Stop> Exchange::attempt(const Call& call, const Credential& credential) {
  const Globals& globals = context_->globals();
  const bool only_shown = globals.dry_run && (call.operation->is_write() || !context_->may_read());
  const auto shift_ms = SVC_TRY(clock_shift(call, credential));
  if (!only_shown) {
    const auto paid = take_budget(call, credential);
    if (!paid && !goes_on_without_files(call, paid.error())) return unexpected(Stop(paid.error()));
  }
  const TimestampMs now_ms = context_->now_ms();
  auto outgoing = SVC_TRY(make_outgoing(call, credential, shift_ms));
  if (globals.print_canonical) context_->environment().err(explain_signatures(outgoing));
  if (only_shown) {
    charge(outgoing, nullptr);
    return unexpected(Stop(DryRun{describe(outgoing, call, credential.scheme(), *network_)}));
  }

  announce(call, credential);
  if (call.operation->is_write()) {
    SVC_TRY(write_down(call, credential, outgoing, now_ms));
    ++sendings_;
  }
  auto in_flight = while_in_flight(call);
  auto response = send(outgoing.request);
  in_flight.reset();
  if (call.operation->is_write()) lane_.reset();
  if (globals.verbose) {
    context_->say(outgoing.request.method + " " + outgoing.request.target + ": " +
                  (response ? std::to_string(response->status) : response.error().reason) + " after " +
                  std::to_string(context_->now_ms() - now_ms) + " ms");
  }
  const auto fail = [&](Failure failure, std::optional<int> status) -> Result<Reply, Stop> {
    conclude(call, status, failure.code, doubted_status_ ? ExitCode::outcome_unknown : failure.exit);
    remember(call, credential, outgoing, now_ms, outgoing.signed_at_ms, failure, status);
    return unexpected(Stop(std::move(failure)));
  };
  if (!response) {
    Failure lost = failure_of(call, response.error(), now_ms);
    explain_absence(lost);
    return fail(std::move(lost), std::nullopt);
  }
  charge(outgoing, &*response);
  if (budget_) budget_->learn(*context_, call, credential, *response);
  const bool success = response->status >= 200 && response->status < 300;
  if (!success) {
    Failure refused = failure_of(call, *response, network_->name);
    explain_version(refused, *response);
    const bool is_sought = refused.exit != ExitCode::outcome_unknown && entry_ && entry_->entry().is_looked_for;
    const Sending sending = sendings_ > 1 ? Sending::again : sending_of(call, credential, outgoing);
    if (is_sought && may_follow_acceptance(call, *response, sending)) doubted_status_ = response->status;
    return fail(std::move(refused), response->status);
  }
  auto body = response->body.empty() ? Result<Json, std::string>(Json()) : parse_json(response->body);
  if (!body && call.raw_path) body = Json(response->body);  // /llms.txt, say
  const bool is_told = body && (!call.operation->is_write() || tells_what_happened(call, *body));
  if (!is_told) return fail(unreadable(call, now_ms), response->status);
  conclude(call, response->status, {}, ExitCode::success);
  return Reply{.status = response->status,
               .headers = std::move(response->headers),
               .body = call.response == nullptr ? std::move(*body) : with_extra(*body, *call.response),
               .raw = std::move(response->body)};
}

Result<Reply, Stop> Exchange::call_until_known(const Call& call, const Credential& credential) {
  const Globals& globals = context_->globals();
  std::int64_t pause_ms = limits::retry_pause_ms;
  std::int64_t waited_ms = 0;
  bool looked_anew = false;
  for (int left = globals.retries;;) {
    auto reply = attempt(call, credential);
    if (reply) return reply;
    const auto* failure = std::get_if<Failure>(&reply.error().why);
    if (failure == nullptr) return reply;
    // Who was refused for his signature has changed nothing. A sandbox may be another one by now, or at another time.
    const bool may_be_old = (network_->is_local() || leaves(call)) && facts_ && !looked_anew;
    if (may_be_old && failure->exit == ExitCode::authentication) {
      looked_anew = true;
      const ServerFacts old = *facts_;
      const auto fresh = fresh_facts();
      if (fresh && !same(old, **fresh)) {
        close_doubted(call, *failure);
        continue;
      }
    }
    std::int64_t wait_ms = 0;
    switch (may_follow(call, *failure)) {
      case Again::no: return reply;
      case Again::after_header:
        wait_ms = *failure->retry_after_ms;
        waited_ms += wait_ms;
        if (globals.rate != RateMode::wait || waited_ms > limits::rate_wait_ms_max) return reply;
        context_->say("note: rate limited; waiting " + wait_text(wait_ms));
        break;
      case Again::after_pause:
        wait_ms = failure->retry_after_ms.value_or(pause_ms);
        if (left-- == 0 || wait_ms > limits::rate_wait_ms_max) return reply;
        pause_ms = std::min(pause_ms * 2, limits::retry_pause_ms_max);
        break;
    }
    if (!has_time_for(wait_ms)) return reply;
    // Under its client id an order stays one; what has none could happen twice.
    if (doubted_status_ && call.client_ids.empty() && call.direction == Direction::risk && !globals.no_reconcile) {
      auto found = look_after_refusal(call, *failure);
      const auto* still = found ? nullptr : std::get_if<Failure>(&found.error().why);
      if (still == nullptr || still->exit == ExitCode::outcome_unknown) return found;
    }
    close_doubted(call, *failure);
    context_->environment().sleep_ms(wait_ms);
  }
}

Result<Reply, Stop> Exchange::write(const Call& call, const Credential& credential) {
  const bool looks = !context_->globals().no_reconcile && call.operation->group != "control";
  // The way out waits for nothing that it does not need.
  if (looks && !settled_earlier_ && call.direction == Direction::risk) {
    settled_earlier_ = true;
    outbox::settle_earlier(*context_, *this, sent_for(credential));
  }
  const outbox::Proof* proof = outbox::find_proof(call.operation->name);
  before_ = Json();
  if (looks && proof != nullptr && proof->before != nullptr) {
    // What cannot be read now cannot be compared later; the write itself does not depend on it.
    const outbox::Entry coming{.id = {},
                               .command = {},
                               .operation = {},
                               .path = {},
                               .query = {},
                               .account = sent_for(credential),
                               .key = credential.key()};
    look_for(&coming);
    if (auto seen = proof->before(*this, call)) before_ = std::move(*seen);
    look_for(nullptr);
  }
  sendings_ = 0;
  doubted_status_.reset();
  auto reply = call_until_known(call, credential);
  if (reply) return reply;
  auto* failure = std::get_if<Failure>(&reply.error().why);
  if (failure != nullptr && doubted_status_ && looks) return look_after_refusal(call, std::move(*failure));
  if (failure != nullptr && doubted_status_ && is_busy(*doubted_status_)) close_doubted(call, *failure);
  if (failure != nullptr && doubted_status_) *failure = doubted(call, *failure);
  const bool lost =
      failure != nullptr && failure->exit == ExitCode::outcome_unknown && entry_ && entry_->entry().is_looked_for;
  if (!lost) {
    entry_.reset();
    return reply;
  }
  if (looks) return find_out(call, std::move(*failure));
  failure->details.set("outbox", entry_->entry().id);
  failure->actions.push_back(command_line(*context_, "outbox resolve " + entry_->entry().id));
  entry_.reset();
  return reply;
}

Result<void, Failure> Exchange::confirm(const Call& call) {
  const Sitting* sitting = context_->environment().sitting;
  if (sitting != nullptr && sitting->repeats && !context_->globals().dry_run && !moves_nothing(*call.operation))
    return unexpected(guard("repeated_write", "what changes something is not repeated; nothing was sent"));
  if (!network_->real_funds() || !call.operation->is_write()) return {};
  if (call.direction == Direction::way_out) return guard_real_funds(*context_, *network_, call, {});
  const auto config = SVC_TRY(context_->config());
  const auto terms = SVC_TRY(guards::terms_of(*config, *network_));
  return guard_real_funds(*context_, *network_, call,
                          {.notional_micro_usdx_max = terms.shell_notional_micro_usdx_max,
                           .worth_micro_usdx = [&] { return guards::worth_of(*this, call); }});
}

// A signature gives no key away: what takes risk away goes over a line that everybody can read, where a token does not.
Result<void, Failure> Exchange::check_line(const Credential& credential) {
  auto safe = check_privacy(network_->name, network_->funds, network_->rest);
  const bool signs = std::holds_alternative<HmacCredential>(credential.how) ||
                     std::holds_alternative<AgentCredential>(credential.how);
  if (safe || !signs || !is_way_out(context_->row(), context_->typed())) return safe;
  context_->notice(safe.error().code, safe.error().message);
  return {};
}

Result<void, Failure> Exchange::unlock_sitting(const Credential& credential) {
  Sitting* sitting = context_->environment().sitting;
  if (sitting == nullptr || !sitting->locked) return {};
  // A credential of the environment has no password that anybody could be asked for.
  if (credential.wallet) {
    context_->say("the shell is locked: the password of wallet " + *credential.wallet + " opens it");
    const auto key = unlock_wallet(*context_, network_->name, *credential.wallet);
    if (!key) return unexpected(key.error());
  }
  sitting->locked = false;
  return {};
}

Result<Reply, Stop> Exchange::call(const Call& call) {
  const bool is_write = call.operation->is_write();
  if (!confirmed_) {
    SVC_TRY(confirm(call));
    confirmed_ = call.direction == Direction::risk && is_write;
    host_confirmed_ = host_confirmed_ || (confirmed_ && network_->real_funds() && !moves_nothing(*call.operation));
  }
  const auto credential = choose_credential(*context_, *network_, call);
  if (!credential) return unexpected(Stop(credential.error()));
  // Tiers are of the operator, and what is public of nobody.
  const bool is_of_account = credential->scheme() != "none" && !call.operation->auth.has(api::Auth::admin);
  if (sought_ != nullptr && is_of_account && !tells_of(*sought_, *credential)) {
    return unexpected(Stop(another_account(*sought_, *credential)));
  }
  SVC_TRY(check_line(*credential));
  if (credential->account) {
    context_->facts().account = to_string(context_->globals().account.value_or(*credential->account));
  }
  SVC_TRY(admit_host(call, *credential));
  if (!is_write || context_->globals().dry_run) return call_until_known(call, *credential);
  if (call.direction == Direction::risk) {
    SVC_TRY(unlock_sitting(*credential));
  }
  const std::string account =
      credential->account ? to_string(*credential->account) : context_->facts().account.value_or("");
  const auto admission = SVC_TRY(guards::admit(*context_, *this, call, account));
  auto reply = write(call, *credential);
  const auto* failure = reply ? nullptr : std::get_if<Failure>(&reply.error().why);
  if (failure != nullptr && failure->exit != ExitCode::outcome_unknown) {
    guards::take_back(*context_, network_->name, admission);
  }
  if (reply && call.operation->name == "place_orders") {
    guards::take_back_refused(*context_, network_->name, admission, reply->body);
  }
  return reply;
}

}  // namespace svc::cli
