#include "cli/client/exchange.h"

#include "api/contract/account.h"
#include "api/contract/auth.h"
#include "api/contract/orders.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/client/client_id.h"
#include "cli/client/guards.h"
#include "cli/client/key_input.h"
#include "cli/client/proof.h"
#include "cli/client/redaction.h"
#include "cli/client/refusal.h"
#include "cli/terminal/render.h"
#include "signing/hash.h"

namespace svc::cli {

namespace {

// Whether a nonce is signed in or with the request: the server then accepts no copy of it.
bool has_nonce(const Call& call, const Credential& credential, const Outgoing& outgoing) {
  return outgoing.action || call.is_of_owner() || (call.document && call.document->find("nonce") != nullptr) ||
         std::holds_alternative<AgentCredential>(credential.how);
}

std::size_t orders_in(const Call& call, const outbox::Entry& entry) {
  return call.operation->orders == api::OrderWrite::places ? entry.client_ids.size() : 0;
}

// What a person calls the write.
std::string name_of(const Call& call, const outbox::Entry& entry) {
  const std::size_t orders = orders_in(call, entry);
  if (orders == 0) return entry.method + " " + entry.target;
  return orders == 1 ? "order " + entry.client_ids.front() : std::to_string(orders) + " orders";
}

}  // namespace

Result<Exchange> Exchange::open(Context& context) {
  const auto network = SVC_TRY(context.network());
  return Exchange(context, *network, **context.paths());
}

Result<void> Exchange::write_down(const Call& call, const Credential& credential, const Outgoing& outgoing) {
  // A request that is sent again under its idempotency key keeps its first entry.
  if (entry_ && !refused_before_) return entry_->sent_again(outgoing.began_ms);
  const std::string target = shown_target(outgoing.request.target, Mask::size);
  const TimestampMs signed_at_ms = outgoing.signed_at_ms;
  if (!first_signed_at_ms_) first_signed_at_ms_ = signed_at_ms;
  // What the owner signs has no other credential.
  const std::string wallet =
      call.is_of_owner() ? SVC_TRY(choose_wallet(*context_, *network_)) : credential.wallet.value_or("");
  outbox::Entry entry{
      .id = make_ulid(context_->environment()),
      // An order may be there since the first sending with its client id.
      .at_ms = call.client_ids.empty() ? signed_at_ms : *first_signed_at_ms_,
      .valid_until_ms =
          is_signed_with_time(call, credential) ? std::optional(signed_at_ms + limits::auth_window_ms) : std::nullopt,
      .sent_to = network_->origin(),
      .command = std::string(context_->command()),
      .operation = std::string(call.operation->name),
      .path = call.path,
      .query = has_secret(outgoing.request.target) ? target.substr(target.find('?') + 1) : call.query,
      .body = redacted(call.document.value_or(Json()), Mask::size),
      .account = sent_for(credential),
      .wallet = wallet,
      .scheme = std::string(credential.scheme()),
      .key = credential.key(),
      .typed = call.typed,
      .client_ids = client_ids_of(call),
      .look_up = call.look_up,
      .before = before_,
      .written_at_ms = context_->now_ms(),
      .uptime_ms = context_->uptime_ms(),
      .method = std::string(api::to_string(call.operation->method)),
      .target = target,
      .nonce = outgoing.action ? std::optional(outgoing.action->nonce) : std::nullopt,
      .body_sha256 = to_hex(signing::sha256(call.body)),
      .is_looked_for = call.operation->changes_something() && call.operation->base != api::PathBase::control};
  if (has_idempotency_key(call)) SVC_TRY(guards::check_key_age(*context_, network_->name, entry));
  context_->count_as_told();
  const auto written = write_missing_outcome();
  auto held = written ? outbox::outbox_of(*context_, network_->name).open(entry)
                      : Result<outbox::OpenEntry>(unexpected(written.error()));
  if (!held && !may_continue_without_files(call, held.error())) {
    held.error().message += "; nothing was sent";
    return unexpected(held.error());
  }
  if (refused_before_) conclude(*std::exchange(refused_before_, std::nullopt));
  entry_.emplace(held ? std::move(*held) : outbox::Outbox::unwritten(std::move(entry)));
  return {};
}

void Exchange::say_in_flight(const Call& call) {
  if (!entry_ || !call.operation->changes_something()) return;
  const outbox::Entry& entry = entry_->entry();
  const std::size_t orders = orders_in(call, entry);
  Failure failure{.message = name_of(call, entry) + (orders == 0   ? " was sent and may have been carried out"
                                                     : orders == 1 ? " was sent and may be live"
                                                                   : " were sent and may be live"),
                  .details = Json::object({{"outbox", entry.id}, {"client_ids", Json::list(entry.client_ids)}}),
                  .actions = call.look_up};
  failure.actions.push_back(command_line(*context_, "outbox resolve " + entry.id));
  context_->tell_answered(failure);
  context_->say_on_signal(std::move(failure));
}

void Exchange::note_answered(const Call& call) {
  if (!entry_ || !call.operation->changes_something()) return;
  const outbox::Entry& entry = entry_->entry();
  context_->note_answered(name_of(call, entry), entry.id, orders_in(call, entry));
  // Whoever was told nothing may ask for the same again.
  context_->after_output({[context = context_, network = network_->name, entry](bool was_shown) {
    if (!was_shown) guards::remember_found(*context, network, entry);
  }});
}

void Exchange::conclude(outbox::Outcome outcome) {
  if (!entry_) return;
  outcome.at_ms = context_->now_ms();
  const ExitCode exit = outcome.exit;
  // The write is out and its fate known: a full disk must not turn that into a failure.
  const auto done = entry_->conclude(outcome);
  if (!done) context_->notice("journal", done.error().message);
  if (exit == ExitCode::outcome_unknown) return;
  if (!done) unwritten_outcome_.emplace(std::move(*entry_), std::move(outcome));
  entry_.reset();
}

void Exchange::conclude_once_told(const Call& call, outbox::Outcome outcome) {
  const bool is_looked_for = entry_ && entry_->entry().is_looked_for && !context_->globals().no_reconcile;
  if (!is_looked_for || call.is_settled_later || !guards::is_looked_at_for_repeats(call) ||
      outbox::find_proof(call.operation->name) == nullptr)
    return conclude(std::move(outcome));
  outcome.at_ms = context_->now_ms();
  const auto entry = std::make_shared<outbox::OpenEntry>(std::move(*entry_));
  entry_.reset();
  const auto end = [context = context_, entry, outcome](bool) {
    if (const auto done = entry->conclude(outcome); !done) context->notice("journal", done.error().message);
  };
  context_->after_output({.call = end, .told_is_enough = true});
}

// Else two intents of one order would be open, and whoever looks for the refused one would find the other's order.
Result<void> Exchange::write_missing_outcome() {
  if (!unwritten_outcome_) return {};
  SVC_TRY(unwritten_outcome_->first.conclude(unwritten_outcome_->second));
  unwritten_outcome_.reset();
  return {};
}

Result<Reply> Exchange::attempt(const Call& call, const Credential& credential) {
  // An earlier copy may have arrived, or may still arrive: that this one cannot be sent, or is refused, says nothing
  // of it. A cancel may be judged by the service's latest answer.
  const auto of_both = [&](Failure failure) {
    if (!lost_ || (call.direction == Direction::way_out && failure.raw)) return failure;
    Failure lost = *lost_;
    lost.retry_after_ms = failure.retry_after_ms;
    if (failure.code != lost.code) lost.details.set("sent_again", failure.code);
    return lost;
  };
  auto ready = make_ready(call, credential);
  if (!ready) return unexpected(of_both(std::move(ready).error()));
  // A signature may take seconds. In a shell no signal has ended the run. (D-982)
  const bool is_of_risk = call.direction == Direction::risk && !context_->is_way_out();
  if (is_of_risk && sendings_ == 0 && context_->environment().signals_are_taken &&
      context_->environment().interrupted()) {
    lane_.reset();
    return failed("interrupted", "interrupted; nothing was sent");
  }
  if (is_of_risk && sets_orders(call.operation->orders) && prices_hold_until_ms_ &&
      context_->uptime_ms() > *prices_hold_until_ms_) {
    lane_.reset();
    const std::string_view sent = sendings_ == 0 ? "nothing was sent" : "it was not sent again";
    return unexpected(
        of_both(guard("stale_book", "the prices that the order was made from are too old by now; ", sent)));
  }
  const Outgoing& outgoing = *ready;
  if (auto written = write_down(call, credential, outgoing); !written)
    return unexpected(of_both(std::move(written).error()));
  ++sendings_;
  if (call.operation->changes_something()) context_->facts().has_sent_write = true;
  say_in_flight(call);
  auto response = send(outgoing.request, call.answer_ms_min);
  lane_.reset();
  auto reply = reply_of(call, credential, outgoing, response);
  const std::optional<int> status = status_in(response);
  if (reply) {
    note_answered(call);
    conclude_once_told(
        call, {.status = status, .row = outbox::row_of(outbox::find_proof(call.operation->name), reply->body)});
    return reply;
  }
  Failure& failure = reply.error();
  failure = of_both(std::move(failure));
  if (failure.exit == ExitCode::outcome_unknown) lost_ = failure;
  const bool is_sought = response && !is_success(*status) && failure.exit != ExitCode::outcome_unknown && entry_ &&
                         entry_->entry().is_looked_for;
  const bool meets_first_copy = sendings_ > 1 || !has_nonce(call, credential, outgoing);
  if (is_sought && may_follow_acceptance(call, *response, meets_first_copy, sendings_ > 1)) doubted_status_ = status;
  const bool is_open = doubted_status_ || failure.exit == ExitCode::outcome_unknown;
  if (!is_open) context_->say_done_on_signal();
  conclude({.status = status, .code = failure.code, .exit = is_open ? ExitCode::outcome_unknown : failure.exit});
  remember(call, credential, outgoing, failure, status);
  return reply;
}

Result<Reply> Exchange::write(const Call& call, const Credential& credential) {
  const bool looks = !context_->globals().no_reconcile && call.operation->base != api::PathBase::control;
  const outbox::Entry coming{
      .operation = std::string(call.operation->name), .account = sent_for(credential), .key = credential.key()};
  // The way out does not wait for this.
  if (looks && call.direction == Direction::risk && call.operation->changes_something()) {
    if (!unknown_earlier_) {
      unknown_earlier_ = outbox::settle_earlier(
          *context_, *this, coming, call.admin_secret,
          [&](const outbox::Entry& found) { guards::remember_found(*context_, network_->name, found); });
    }
    SVC_TRY(guards::check_repeated(*context_, network_->name, call, coming, *unknown_earlier_));
  }
  const outbox::Proof* proof = outbox::find_proof(call.operation->name);
  before_ = Json();
  // It is read with --no-reconcile as well, because `outbox resolve` compares with it later.
  if (proof != nullptr && proof->before != nullptr) {
    // If the present state cannot be read, there is nothing to compare later, but the write can be sent.
    restrict_reads_to(&coming);
    const TimestampMs read_at_ms = context_->now_ms();
    if (auto seen = proof->before(*this)) before_ = std::move(seen->set(outbox::before_read_at, read_at_ms));
    restrict_reads_to(nullptr);
  }
  sendings_ = 0;
  first_signed_at_ms_.reset();
  lost_.reset();
  doubted_status_.reset();
  refused_before_.reset();
  const auto before_again = [&](const Failure& refused, Again again) -> std::optional<Result<Reply>> {
    if (again == Again::at_once) first_signed_at_ms_.reset();  // it may have been of another clock
    if (doubted_status_ && again == Again::after_pause && !call.client_ids.empty()) {
      // Whoever ends the run during the pause leaves the entry to the next one.
      refused_before_ = {.status = doubted_status_, .code = refused.code, .exit = refused.exit};
      return std::nullopt;
    }
    // A client id prevents a second order; a write without one could take effect twice.
    const bool could_repeat =
        again == Again::after_pause && call.direction == Direction::risk && !context_->globals().no_reconcile;
    if (doubted_status_ && could_repeat) {
      auto found = look_up_after_refusal(call, refused, outbox::Patience::briefly);
      // Nothing is sent again unless a look shows that it is not there.
      if (found || found.error().code != refused.code || !absence_seen_) return found;
    }
    close_doubted(refused);
    return std::nullopt;
  };
  auto reply = repeat(
      call, credential, [&] { return attempt(call, credential); }, before_again);
  if (reply) return reply;
  Failure& failure = reply.error();
  const auto is_lost = [&] {
    return failure.exit == ExitCode::outcome_unknown && entry_ && entry_->entry().is_looked_for;
  };
  const bool may_be_settled = doubted_status_ ? failure.exit == ExitCode::not_found : is_lost();
  if (looks && call.is_settled_later && may_be_settled) {
    unsettled_.push_back({.call = call,
                          .failure = failure,
                          .entry = std::exchange(entry_, std::nullopt),
                          .doubted_status = std::exchange(doubted_status_, std::nullopt)});
    return reply;
  }
  if (doubted_status_ && looks) return look_up_after_refusal(call, failure, outbox::Patience::briefly);
  if (doubted_status_ && is_busy(*doubted_status_)) close_doubted(failure);
  if (doubted_status_) failure = doubted(call, failure);
  if (is_lost() && looks) return look_up_outcome(call, std::move(failure));
  if (is_lost()) {
    failure.details.set("outbox", entry_->entry().id);
    failure.actions.push_back(command_line(*context_, "outbox resolve " + entry_->entry().id));
  }
  entry_.reset();
  return reply;
}

Result<Confirmed> Exchange::confirm(const Call& call) {
  const ShellSession* shell_session = context_->shell_session();
  if (shell_session != nullptr && shell_session->repeats && !context_->globals().dry_run &&
      call.operation->changes_something())
    return guard("repeated_write", "what changes something is not repeated; nothing was sent");
  if (!call.operation->is_write()) return Confirmed::this_call;
  if (call.direction != Direction::way_out) SVC_TRY(check_confirmed_name(*context_, *network_));
  if (!network_->real_funds()) return Confirmed::command;
  if (call.direction == Direction::way_out) return guard_real_funds(*context_, *network_, call, {});
  const auto config = SVC_TRY(context_->config());
  const auto terms = SVC_TRY(guards::terms_of(config->guards, network_->name, network_->real_funds()));
  return guard_real_funds(*context_, *network_, call,
                          {.notional_micro_usdx_max = terms.shell_notional_micro_usdx_max,
                           .worth_micro_usdx = [&] { return guards::worth_of(*this, call); }});
}

Result<void> Exchange::unlock_shell(const Credential& credential) {
  ShellSession* shell_session = context_->shell_session();
  if (shell_session == nullptr || !shell_session->locked) return {};
  // What a wallet signs in the body has no credential beside it. One of the environment has no password to ask for.
  const auto wallet = credential.wallet ? credential.wallet : SVC_TRY(signer_of_run(*context_, *network_));
  if (wallet && is_external_signer(*wallet))
    return failed("wallet_locked", "the shell is locked, and signer ", *wallet, " has no password to open it with")
        .to_try({"leave it with \\q, and open another"});
  if (wallet) {
    context_->say("the shell is locked: the password of wallet " + *wallet + " opens it");
    auto signer = SVC_TRY(open_signer(*context_, network_->name, *wallet, password_source(*context_)));
    if (!context_->globals().signer || *context_->globals().signer == *wallet) wallet_signer_ = std::move(signer);
  }
  shell_session->locked = false;
  return {};
}

Result<Reply> Exchange::call(const Call& call) {
  const bool is_write = call.operation->is_write();
  const bool is_risk = call.direction == Direction::risk && is_write;
  // Nobody is asked to confirm what cannot be shown.
  if (is_risk && network_->real_funds()) SVC_TRY(guards::check_body(call));
  if (!confirmed_) {
    const std::int64_t began_ms = context_->uptime_ms();
    const Confirmed confirmed = SVC_TRY(confirm(call));
    // Whoever answers a question has seen the price as a number.
    if (prices_hold_until_ms_) *prices_hold_until_ms_ += context_->uptime_ms() - began_ms;
    confirmed_ = is_risk && confirmed == Confirmed::command;
    host_confirmed_ = host_confirmed_ || (is_risk && network_->real_funds() && call.operation->changes_something());
  }
  const auto credential = SVC_TRY(admit(call));
  if (!is_write) return ask(call, credential);
  if (context_->globals().dry_run) {
    SVC_TRY(guards::admit(*context_, *this, call, {}));
    return ask(call, credential);
  }
  if (call.direction == Direction::risk) SVC_TRY(unlock_shell(credential));
  const auto admission = SVC_TRY(guards::admit(*context_, *this, call, sent_for(credential)));
  auto reply = try_keys(call, credential, [&](const Credential& one) { return write(call, one); });
  if (!reply) context_->say_done_on_signal();
  // The service itself refused it, and nothing happened. (D-863)
  if (!reply && reply.error().exit == ExitCode::unavailable && reply.error().raw) leave_base(reply.error());
  if (!reply && reply.error().exit != ExitCode::outcome_unknown) {
    guards::take_back(*context_, network_->name, admission);
  }
  if (reply) guards::take_back_refused(*context_, network_->name, admission, reply->body);
  return reply;
}

Result<Reply> Exchange::settle(const Call& call, const Result<outbox::Finding>& found, const std::string& answer,
                               Failure unknown) {
  using outbox::Verdict;
  const std::string id = entry_->entry().id;
  const Verdict verdict = found ? found->verdict : Verdict::unknown;
  if (verdict == Verdict::accepted) note_answered(call);
  if (found) outbox::note_found(*context_, *entry_, *found);
  entry_.reset();
  switch (verdict) {
    case Verdict::accepted:
      if (found->unusable) return unexpected(*found->unusable);
      context_->notice("reconciled", concat(answer, ", but ", found->evidence));
      return Reply{.status = call.operation->success,
                   .headers = {},
                   .body = found->record,
                   .raw = found->record.dump(),
                   .is_found = true};
    case Verdict::rejected:
      return failed("rejected", answer, ", and the write had no effect: ", found->evidence)
          .with_details(Json::object({{"record", found->record}}));
    case Verdict::not_accepted:
      return nothing_happened(
          "not_accepted", concat("the write was not accepted and cannot be any more, for its signature has expired (",
                                 found->evidence, ")"));
    case Verdict::not_seen:
    case Verdict::unknown: break;
  }
  unknown.details.set("outbox", id);
  unknown.actions.insert(unknown.actions.begin(), command_line(*context_, "outbox resolve " + id));
  if (!found) {
    unknown.details.set("look_up", found.error().message);
    return unknown;
  }
  unknown.message += (verdict == Verdict::unknown ? "; looked for, and what is there proves nothing: "
                                                  : "; not seen when looked for: ") +
                     found->evidence;
  unknown.details.set("not_seen_at_ms", found->looked_at_ms);
  return unknown;
}

Result<Reply> Exchange::look_up_outcome(const Call& call, Failure lost) {
  const auto patience = call.is_sought_briefly ? outbox::Patience::briefly : outbox::Patience::half_a_minute;
  const auto found = outbox::reconcile(*context_, *this, *entry_, call.admin_secret, patience);
  return settle(call, found, "the answer was lost", std::move(lost));
}

void Exchange::close_doubted(const Failure& refused) {
  if (!doubted_status_) return;
  conclude({.status = std::exchange(doubted_status_, std::nullopt), .code = refused.code, .exit = refused.exit});
}

std::vector<Result<Reply>> Exchange::settle_later() {
  std::vector<Result<Reply>> outcomes;
  for (Unsettled& one : std::exchange(unsettled_, {})) {
    entry_ = std::move(one.entry);
    doubted_status_ = one.doubted_status;
    outcomes.push_back(doubted_status_ ? look_up_after_refusal(one.call, one.failure, outbox::Patience::once)
                                       : look_up_outcome(one.call, std::move(one.failure)));
  }
  return outcomes;
}

Result<Reply> Exchange::look_up_after_refusal(const Call& call, const Failure& refused, outbox::Patience patience) {
  const bool busy = is_busy(*doubted_status_);
  say_in_flight(call);
  const auto found =
      outbox::reconcile(*context_, *this, *entry_, call.admin_secret, busy ? outbox::Patience::once : patience);
  using outbox::Verdict;
  const bool is_accepted = found && found->verdict == Verdict::accepted;
  // A key that is refused for a read would have been refused for the write.
  const auto is_key_refused = [&] {
    const bool by_session = call.operation->auth.has(api::Auth::bearer);
    const auto probe = read(by_session ? call_of<api::ops::ListKeys>() : call_of<api::ops::GetAccount>());
    return !probe && probe.error().exit == ExitCode::authentication;
  };
  const bool was_read = found && found->verdict != Verdict::unknown;
  absence_seen_ = was_read && !is_accepted;
  const auto stands_unread = [&] {
    if (found) return is_key_refused();
    const ExitCode exit = found.error().exit;
    return busy || exit == ExitCode::authentication || (exit == ExitCode::outcome_unknown && is_key_refused());
  };
  const bool stands = was_read ? !is_accepted : stands_unread();
  if (stands) {
    context_->say_done_on_signal();
    close_doubted(refused);
    return unexpected(refused);
  }
  doubted_status_.reset();
  return settle(call, found, "the answer was " + refused.code, doubted(call, refused));
}

}  // namespace svc::cli
