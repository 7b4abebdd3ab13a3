#include "cli/client/connection.h"

#include <cerrno>
#include <cstring>

#include "api/contract/account.h"
#include "api/contract/bridge.h"
#include "api/contract/transfers.h"
#include "api/contract/venue.h"
#include "api/version.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/arguments/line_words.h"
#include "cli/client/client_id.h"
#include "cli/client/confirmation.h"
#include "cli/client/key_input.h"
#include "cli/client/refusal.h"
#include "cli/store/journal_reader.h"
#include "cli/store/network.h"
#include "cli/store/write_log.h"
#include "cli/terminal/render.h"
#include "signing/hash.h"

namespace svc::cli {
namespace {

// No setting of a version stops the way out.
std::string announced_version(const Context& context) {
  const auto& given = context.globals().api_version;
  const bool counts = given && (!context.is_way_out() || context.is_typed("api_version"));
  return counts ? *given : std::string(api::client_version);
}

Unexpected<api::TransportError> not_sent(std::string why) {
  return {{.delivery = api::Delivery::not_sent, .reason = std::move(why)}};
}

// Whether this credential's account can show what became of that write. If an account is not known, the key that signed
// the write identifies it.
bool can_show_write(const outbox::Entry& entry, const Credential& credential) {
  if (credential.account && !entry.account.empty()) return to_string(*credential.account) == entry.account;
  return !entry.key.empty() && entry.key == credential.key();
}

Failure another_account(const outbox::Entry& entry, const Credential& credential) {
  const std::string flags = concat(entry.scheme == "agent" ? "--auth agent " : "", "--signer ", entry.wallet);
  Failure failure =
      failed(another_account_code, "it was sent for ",
             entry.account.empty() ? "an account that is not known" : "account " + entry.account,
             entry.wallet.empty() ? "" : " (wallet " + entry.wallet + ")", ", and ",
             credential.account ? "account " + to_string(*credential.account) : "the account of the credential in use",
             " shows nothing of it");
  if (!entry.wallet.empty()) {
    failure.message += "; look with " + flags;
    failure.actions = {"add " + flags};
  } else if (!entry.key.empty()) {
    failure.message += "; look with the key that signed it, " + entry.key;
  }
  return failure;
}

// Of two failures of two bases: one that answered says more than one that nothing could be sent to.
const Failure& telling_failure(const Failure& earlier, const Failure& later) {
  return nothing_was_sent(later) && !nothing_was_sent(earlier) ? earlier : later;
}

// Whether two measurements of the server's clock agree.
bool is_near(std::optional<std::int64_t> a_ms, std::optional<std::int64_t> b_ms) {
  return std::abs(a_ms.value_or(0) - b_ms.value_or(0)) < 2 * second_ms;
}

// The address in a Link header that has the deprecation guide; empty if there is none. (API: Versioning, rule 6)
std::string deprecation_link(std::string_view link) {
  const auto begin = link.find('<'), end = link.find('>');
  const bool named = link.find("deprecation") != std::string_view::npos;
  return named && begin < end && end != std::string_view::npos ? std::string(link.substr(begin + 1, end - begin - 1))
                                                               : std::string();
}

// The waits of one call for its rate limit.
struct LimitWaits {
  std::int64_t all_ms = 0;
  std::int64_t at_one_time_ms = 0;            // since the server told another time
  std::optional<TimestampMs> server_ms = {};  // its time when it refused last

  // Whether a second of waiting has not moved the server's clock, by its time at this refusal.
  bool stand_still(std::optional<TimestampMs> refused_at_ms) {
    if (std::exchange(server_ms, refused_at_ms) != refused_at_ms) at_one_time_ms = 0;
    return at_one_time_ms >= second_ms;
  }
  void add(std::int64_t wait_ms) {
    all_ms += wait_ms;
    at_one_time_ms += wait_ms;
  }
};

std::string first_text(std::initializer_list<std::optional<std::string_view>> texts) {
  for (const auto& text : texts)
    if (text && !text->empty()) return std::string(*text);
  return {};
}

// The owner of the first order or bridge record of the answer that is not the account's; nullopt if all are, or the
// answer has none.
std::optional<Address> other_owner(const Call& call, const Json& body, const Address& account) {
  // Public records name accounts too.
  const bool is_of_bridge = call.operation->group == api::ops::CreateBridgeWithdrawal::op.group;
  const auto owner_of = [&](const Json& row) -> std::optional<Address> {
    const Json* placed = row.find("order");
    const Json& own = placed == nullptr ? row : *placed;
    const bool names_owner = is_of_bridge || own.find("order_type") != nullptr;
    const auto owner = names_owner ? own.address_at("account_id") : std::nullopt;
    return owner == account ? std::nullopt : owner;
  };
  if (!body.is(Json::Kind::array)) return owner_of(body);
  for (const Json& row : body.items())
    if (const auto owner = owner_of(row)) return owner;
  return std::nullopt;
}

}  // namespace

Connection::Connection(Context& context, const Network& network, const Paths& paths)
    : context_(&context), network_(std::make_unique<Network>(network)), paths_(&paths) {
  if (const Base* base = base_to_begin_with(paths, network, context.now_ms())) network_->use(*base);
}

std::string Connection::sent_for(const Credential& credential) const {
  if (acts_for_another(credential)) return to_string(*context_->globals().account);
  return credential.account ? to_string(*credential.account) : context_->facts().account.value_or("");
}

Result<void> Connection::can_tell_outcome_of(const outbox::Entry& entry) {
  const auto credential = SVC_TRY(choose_credential(*context_, *network_, call_of<api::ops::GetAccount>()));
  if (!can_show_write(entry, credential)) return another_account(entry, credential);
  return {};
}

// In steps, so that a connection serves more than one request.
std::optional<std::int64_t> Connection::answer_timeout_ms(std::int64_t answer_ms_min) const {
  const std::int64_t given_ms = context_->globals().timeout_ms;
  const std::int64_t wanted_ms = context_->is_typed("timeout") ? given_ms : std::max(given_ms, answer_ms_min);
  const std::int64_t asked_ms = std::min(wanted_ms, answer_ms_max_);
  if (!stop_at_uptime_ms_) return asked_ms;
  // Half, because connecting may take as long as the answer.
  const std::int64_t left_ms = (*stop_at_uptime_ms_ - context_->uptime_ms()) / 2;
  if (left_ms <= 0) return std::nullopt;
  for (const std::int64_t step_ms : {10'000, 5'000, 2'500, 1'000, 500})
    if (step_ms <= left_ms) return std::min(step_ms, asked_ms);
  return std::min(left_ms, asked_ms);
}

void Connection::put_off_stop(std::int64_t rate_wait_ms) {
  if (!stop_at_uptime_ms_) return;
  const std::int64_t granted_ms = std::min(rate_wait_ms, rate_wait_left_ms_);
  *stop_at_uptime_ms_ += granted_ms;
  rate_wait_left_ms_ -= granted_ms;
}

Connection::Answered Connection::send(const api::HttpRequest& request, std::int64_t answer_ms_min) {
  const Globals& globals = context_->globals();
  const auto timeout_ms = answer_timeout_ms(answer_ms_min);
  was_tried_ = false;
  if (!timeout_ms) return not_sent("the time to look is over");
  if (!transport_ || *timeout_ms != transport_timeout_ms_) {
    auto opened = context_->environment().connect(context_->route_to(network_->origin(), *timeout_ms));
    if (!opened) return not_sent(opened.error());
    transport_ = std::move(*opened);
    transport_timeout_ms_ = *timeout_ms;
  }
  const auto show = [&](std::string_view mark, const std::string& first_line, const api::Headers& headers,
                        std::string_view body) {
    if (!globals.debug_http) return;
    const auto tell = [&](const std::string& line) {
      context_->environment().err(concat(mark, " ", escaped(line), "\n"));
    };
    tell(first_line);
    for (const api::Header& header : headers)
      tell(concat(header.name, ": ", shown_header(header.name, header.value, Mask::size)));
    if (!body.empty()) tell(shown_body(body, Mask::size));
  };
  show(">", request.method + " " + network_->origin() + shown_target(request.target, Mask::size), request.headers,
       request.body);
  if (globals.record_file && !record_) {
    auto log = open_record(*globals.record_file);
    if (log) {
      record_.emplace(std::move(*log));
    } else if (context_->is_way_out()) {
      context_->notice("not_recorded", log.error() + "; sent all the same");
    } else {
      return not_sent(log.error());
    }
  }
  const TimestampMs sent_at_ms = context_->now_ms();
  answer_skew_ms_.reset();
  const Environment& environment = context_->environment();
  // Whoever presses Ctrl-C in a shell has it back. The answer to a write is waited for: it tells what became of it.
  std::optional<api::EndsWaits> ends;
  if (environment.signals_are_taken && api::is_idempotent_read(request)) ends.emplace(environment.interrupted);
  was_tried_ = true;
  auto response = transport_->send(request);
  if (!response) response.error().is_interrupted = ends && environment.interrupted();
  ends.reset();
  if (response) hide_echo(request, *response);
  if (record_ && *record_ &&
      !record_exchange(*record_, network_->origin(), request, response, sent_at_ms, context_->now_ms(),
                       record_patience_ms_)) {
    context_->notice("not_recorded", concat("--record: ", *globals.record_file, " did not take a request: ",
                                            std::strerror(errno), "; the rest is not recorded"));
    record_->close();  // a half line may stand there, and the next would be glued to it
  }
  if (response) {
    if (const auto date = response->headers.find("Date"))
      if (const auto date_ms = parse_http_date(*date)) server_date_ms_ = date_ms;
    answer_skew_ms_ = measure_skew(*response, sent_at_ms, context_->now_ms());
    report_deprecation(request, *response);
    if (has_other_bases()) context_->facts().meta.set("base", network_->origin());
    const bool is_known = host_ && *host_ != HostStanding::unreachable;
    if (went_over_ && is_known && response->status < 500) {
      went_over_ = false;
      static_cast<void>(begin_with_base_in_use(*paths_, *network_, context_->now_ms()));
    }
  }
  if (response)
    show("<", std::to_string(response->status), response->headers, response->body);
  else
    show("<", "no answer: " + response.error().reason, {}, {});
  return response;
}

bool Connection::acts_for_another(const Credential& credential) const {
  const auto& account = context_->globals().account;
  return account && credential.account && *account != *credential.account;
}

bool Connection::may_go_unsigned(const Call& call, const Credential& credential) const {
  return on_way_out(call) && call.action == ActionChoice::when_unlocked && !acts_for_another(credential) &&
         !std::holds_alternative<AgentCredential>(credential.how);
}

void Connection::tell_unsigned(const std::string& reason) {
  const std::string_view tense = context_->globals().dry_run ? "would be sent" : "sent";
  context_->notice("action_omitted", std::string(tense) + " without a signed action: " + reason,
                   Context::Frequency::once_per_day);
}

Result<std::optional<ActionSigner>> Connection::action_signer(const Call& call, const Credential& credential) {
  using None = std::optional<ActionSigner>;
  if (call.operation->action == nullptr || call.action == ActionChoice::omitted) return None{};
  const bool demanded = call.action == ActionChoice::demanded;
  const auto leave_out = [&](std::string code, std::string reason) -> Result<None> {
    if (demanded) return guard(std::move(code), "the action cannot be signed: " + reason);
    tell_unsigned(reason);
    return None{};
  };
  const std::optional<std::string> wallet = context_->globals().signer ? context_->globals().signer : credential.wallet;
  if (!wallet) return leave_out("no_wallet", "no wallet is known for this credential");
  const auto* agent = std::get_if<AgentCredential>(&credential.how);
  if (context_->globals().dry_run && agent == nullptr && is_external_signer(*wallet)) {
    return leave_out("signer_not_asked", "a signer outside is not asked in a dry run");
  }
  WithoutPassword without{.may_sign = wallet_signer_ || agent != nullptr || (demanded && context_->may_ask())};
  if (!without.may_sign) without = without_password(*context_, network_->name, *wallet);
  const bool at_hand = without.may_sign;
  if (!at_hand && demanded) {
    return failed("wallet_locked", "the action cannot be signed: wallet ", *wallet, " is locked")
        .to_try({"add --password-file FILE"});
  }
  if (!at_hand) {
    return leave_out("wallet_locked", "wallet " + *wallet + " is locked; svc keystore unlock " + *wallet +
                                          " unlocks it for all commands, --password-file FILE for one");
  }
  const auto known = SVC_TRY(facts_for(call));
  const auto terms = signing_terms(*known, *network_);
  if (!terms) return leave_out(terms.error().code, terms.error().message);
  const bool may_go_on = may_go_unsigned(call, credential);
  if (may_go_on && wallet_failure_) return leave_out(wallet_failure_->code, wallet_failure_->message);
  const auto holder =
      agent != nullptr ? Result<const Signer*>(agent->signer.get()) : wallet_signer(*wallet, std::move(without.held));
  if (!holder && may_go_on) {
    wallet_failure_ = holder.error();
    return leave_out(wallet_failure_->code, wallet_failure_->message);
  }
  SVC_TRY(holder);
  const Address signer = (*holder)->address();
  // A cancel does not wait for the lane; an agent's request needs the nonce in any case.
  const bool brief = call.direction == Direction::way_out && !demanded;
  const auto nonce = agent != nullptr
                         ? agent_nonce(call, signer)
                         : next_nonce(signer, brief ? limits::lane_patience_way_out_ms : limits::lane_patience_ms);
  if (!nonce && brief && may_go_on) return leave_out(nonce.error().code, nonce.error().message);
  SVC_TRY(nonce);
  const auto known_account = context_->globals().account ? context_->globals().account : credential.account;
  if (agent != nullptr && !known_account) {
    return leave_out("account_unknown",
                     "it is not known here for whom agent " + to_string(signer) + " may trade; -a names the account");
  }
  const Address account = known_account.value_or(signer);
  return None(ActionSigner{.signer = **holder,
                           .terms = *terms,
                           .account = account,
                           .names_account = context_->globals().account || credential.account != account,
                           .nonce = *nonce});
}

Result<const Signer*> Connection::wallet_signer(const std::string& wallet, std::unique_ptr<Signer> held) {
  if (wallet_signer_) return wallet_signer_.get();
  auto signer = SVC_TRY(open_signer(*context_, network_->name, wallet, PasswordFrom::anywhere, std::move(held)));
  // A signer outside may have another account selected than the one that logged in here.
  const auto sessions =
      SVC_TRY(is_external_signer(wallet) ? load_sessions(*paths_, network_->name, context_->now_ms()) : Sessions());
  const Session* session = sessions.find_wallet(wallet);
  if (session != nullptr && session->account != signer->address()) {
    return failed("signer_failed", "the signer answers for account ", to_string(signer->address()),
                  " now, and account ", to_string(session->account), " logged in with it; nothing was sent")
        .to_try({"svc -n " + network_->name + " login --signer " + join_words({wallet})});
  }
  wallet_signer_ = std::move(signer);
  return wallet_signer_.get();
}

Result<void> Connection::wait_for_lane(const Address& signer, std::int64_t patience_ms) {
  constexpr std::int64_t pause_ms = 2, silent_ms = 2 * second_ms;
  bool told = false;
  for (const std::int64_t began_ms = context_->uptime_ms();;) {
    auto lane = SVC_TRY(try_nonce_lane(*paths_, network_->name, signer));
    if (lane) {
      lane_.emplace(std::move(*lane));
      return {};
    }
    const std::int64_t waited_ms = context_->uptime_ms() - began_ms;
    if (waited_ms >= patience_ms || context_->environment().interrupted()) break;
    if (waited_ms >= silent_ms && !told) context_->say("note: waiting for another svc that sends with this wallet");
    told = told || waited_ms >= silent_ms;
    context_->environment().sleep_ms(pause_ms);
  }
  return failed(wallet_busy_code, "another svc is sending with wallet ", to_string(signer), " and has no answer yet")
      .as_retryable();
}

// If this machine's clock is ahead, so is a nonce by it, and other programs of the wallet are refused until that time.
// A sandbox's clock is moved at will: there the machine's is the better one.
TimestampMs Connection::nonce_time_ms() const {
  const bool is_corrected = facts_ != nullptr && !network_->is_local();
  return context_->now_ms() + (is_corrected ? correction_ms(*facts_) : 0);
}

Result<std::uint64_t> Connection::next_nonce(const Address& signer, std::int64_t patience_ms) {
  if (context_->globals().dry_run)
    return SVC_TRY(peek_nonce(*paths_, network_->name, signer, nonce_time_ms())) + planned_nonces_++;
  if (!lane_) SVC_TRY(wait_for_lane(signer, patience_ms));
  return take_nonce(*paths_, network_->name, signer, nonce_time_ms(), patience_ms);
}

Result<std::uint64_t> Connection::agent_nonce(const Call& call, const Address& agent) {
  if (!on_way_out(call)) return next_nonce(agent);
  constexpr std::int64_t patience_ms = limits::lane_patience_way_out_ms;
  const bool is_plan = context_->globals().dry_run;
  if (!is_plan && !lane_) {
    const auto turn = wait_for_lane(agent, is_lane_busy_ ? 0 : patience_ms);
    is_lane_busy_ = !turn && turn.error().code == wallet_busy_code;
    if (is_lane_busy_) context_->notice(turn.error().code, turn.error().message + "; sent all the same");
  }
  const auto filed =
      is_plan ? next_nonce(agent) : take_nonce(*paths_, network_->name, agent, nonce_time_ms(), patience_ms);
  if (filed) return filed;
  context_->notice("not_written_down", filed.error().message + "; signed with a nonce that is not written down");
  const auto last = peek_nonce(*paths_, network_->name, agent, nonce_time_ms());
  const auto now = static_cast<std::uint64_t>(nonce_time_ms());
  unfiled_nonce_ = std::max(unfiled_nonce_ + 1, last ? *last : now);
  return unfiled_nonce_;
}

template <class Terms>
Result<Connection::WalletFor<Terms>> Connection::wallet_for(Result<Terms> (*terms_of)(const ServerFacts&,
                                                                                      const Network&)) {
  SVC_TRY(prove_host());
  const auto known = SVC_TRY(facts_here());
  SVC_TRY(check_skew(*known, *network_));
  auto terms = terms_of(*known, *network_);
  if (!terms) return nothing_signed(terms.error(), *network_);
  const auto wallet = SVC_TRY(choose_wallet(*context_, *network_));
  const auto signer = SVC_TRY(wallet_signer(wallet));
  const auto& named = context_->globals().account;
  if (named && *named != signer->address())
    return guard("wrong_account", "wallet ", wallet, " is that of account ", to_string(signer->address()),
                 ", and account ", to_string(*named), " was named; nothing was sent");
  return WalletFor<Terms>{.account = signer->address(), .signer = signer, .terms = std::move(*terms)};
}

Result<Connection::Owner> Connection::owner() {
  auto owner = SVC_TRY(wallet_for(signing_terms));
  const Credential its{.how = {}, .account = owner.account, .wallet = {}};
  const bool is_sought = sought_ != nullptr && !sought_->account.empty();
  if (is_sought && !can_show_write(*sought_, its)) return another_account(*sought_, its);
  return owner;
}

Result<Connection::DomainWallet> Connection::withdrawer() {
  return wallet_for(withdrawal_terms);
}

Result<Connection::DomainWallet> Connection::registrar() {
  return wallet_for(registration_terms);
}

Result<void> Connection::sign_as_owner(Outgoing& outgoing, const Call& call, const signing::OwnerStamp& stamp) {
  const auto signer = SVC_TRY(owner());
  api::Headers& headers = outgoing.request.headers;
  headers.add("X-Timestamp", std::to_string(stamp.timestamp_ms));
  if (call.operation->is_write()) headers.add("X-Nonce", std::to_string(stamp.nonce));
  const auto asked = call.operation->owner(
      {.method = outgoing.request.method, .path = call.path, .query = call.query, .body = call.body}, stamp);
  if (!asked) return usage_error(asked.error());
  const auto signature = SVC_TRY(sign_struct(*context_, *signer.signer, signer.terms.domain, *asked));
  headers.add("X-Signature", signing::to_string(signature));
  return {};
}

Result<std::int64_t> Connection::clock_shift(const Call& call, const Credential& credential) {
  if (!is_signed_with_time(call, credential)) return 0;
  const auto known = SVC_TRY(facts_for(call));
  SVC_TRY(check_identity(*known, *network_, {}));
  if (const auto near = check_skew(*known, *network_); !near && !on_way_out(call)) return unexpected(near.error());
  const std::int64_t shift_ms = correction_ms(*known);
  if (shift_ms != 0 && !network_->is_local()) {
    context_->notice("clock_corrected", "timestamps are corrected by " + seconds_text(std::abs(shift_ms)));
  }
  return shift_ms;
}

Result<Outgoing> Connection::make_outgoing(const Call& call, const Credential& credential,
                                           std::int64_t clock_shift_ms) {
  const Globals& globals = context_->globals();
  const auto where = SVC_TRY(address(call, *network_, globals.surface));
  const ShortPatience short_patience(*context_, may_go_unsigned(call, credential));
  const auto signer = SVC_TRY(action_signer(call, credential));
  if (acts_for_another(credential) && !signer) {
    return guard("action_needed", "acting for ", to_string(*globals.account),
                 " needs a signed action, and this one is not signed");
  }
  signing::OwnerStamp stamp;
  if (call.is_of_owner() && call.operation->is_write()) stamp.nonce = SVC_TRY(next_nonce(SVC_TRY(owner()).account));
  // Taken only now: drawing the nonce may have waited for other processes.
  const TimestampMs signed_at_ms = context_->now_ms() + clock_shift_ms;
  const std::string version = announced_version(*context_);
  // One sequence of nonces for both signatures; a read takes none. (D-454)
  const auto* agent = std::get_if<AgentCredential>(&credential.how);
  std::uint64_t request_nonce = signer ? signer->nonce : static_cast<std::uint64_t>(signed_at_ms);
  if (agent != nullptr && !signer && call.operation->is_write()) {
    request_nonce = SVC_TRY(agent_nonce(call, agent->address));
  }
  auto outgoing = prepare(call, where, credential, signer, signed_at_ms, version, request_nonce);
  if (!outgoing && signer && may_go_unsigned(call, credential)) {
    wallet_failure_ = outgoing.error();
    tell_unsigned(wallet_failure_->message);
    outgoing = prepare(call, where, credential, {}, context_->now_ms() + clock_shift_ms, version, request_nonce);
  }
  auto signed_request = SVC_TRY(std::move(outgoing));
  action_sent_ = signed_request.action.has_value();
  stamp.timestamp_ms = static_cast<std::uint64_t>(signed_at_ms);
  if (call.is_of_owner()) SVC_TRY(sign_as_owner(signed_request, call, stamp));
  // A person at an external signer may take longer than a signed time stays valid.
  const std::int64_t took_ms = context_->now_ms() + clock_shift_ms - signed_at_ms;
  if (is_signed_with_time(call, credential) && took_ms >= limits::auth_window_ms) {
    return failed("signer_too_late", "signing took ", seconds_text(took_ms), ", and a signature is good for ",
                  seconds_text(limits::auth_window_ms), " only; nothing was sent")
        .as_retryable();
  }
  return signed_request;
}

Result<void> Connection::take_budget(const Call& call, const Credential& credential) {
  // A sandbox's control API has no rate limits.
  if (call.operation->base == api::PathBase::control || context_->globals().rate == RateMode::off) return {};
  if (!buckets_) buckets_.emplace(SVC_TRY(budget::BucketFile::open(*paths_, network_->name)));
  const std::int64_t began_ms = context_->uptime_ms();
  SVC_TRY(budget::take(*buckets_, *context_, call, credential, on_way_out(call) ? Direction::way_out : call.direction));
  put_off_stop(context_->uptime_ms() - began_ms);
  return {};
}

bool Connection::may_continue_without_files(const Call& call, const Failure& failure) {
  const bool may = call.direction == Direction::way_out || !call.operation->changes_something();
  if (!may || failure.code != file_error_code) return false;
  context_->notice("not_written_down", failure.message + "; sent all the same");
  return true;
}

void Connection::charge(const Call& call, const api::HttpResponse* response) {
  Json& meta = context_->facts().meta;
  const std::string_view bucket = bucket_of(*call.operation);
  const std::uint64_t weight = context_->facts().costs[std::string(bucket)] += call.operation->weight.of(call.orders);
  // A command's cost is that of its writes' bucket; without writes, of the one that its account pays for.
  const int rank = call.operation->is_write() ? 2 : budget::is_of_the_machine(bucket) ? 0 : 1;
  int& shown = context_->facts().cost_rank;
  const bool is_shown = meta.string_at("cost.bucket") == bucket;
  if (rank >= shown || is_shown) meta.set("cost", Json::object({{"bucket", bucket}, {"weight", weight}}));
  shown = std::max(shown, rank);
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

void Connection::announce(const Call& call, const Credential& credential) {
  const bool real_write = network_->real_funds() && call.operation->is_write();
  if (!context_->globals().verbose && !real_write) return;
  // What a wallet signs in the body names its account there.
  const bool is_of_wallet = call.is_of_owner() || call.operation->auth.has(api::Auth::wallet_signature);
  const Json body = call.document.value_or(Json());
  const std::string account = is_of_wallet         ? body.text_at(body.find("wallet") == nullptr ? "account" : "wallet")
                              : credential.account ? to_string(*credential.account)
                                                   : std::string();
  const std::string line = concat(network_->name, ": ", to_string(network_->funds), " funds, ", network_->origin(),
                                  " (", network_->rest_source, ")", account.empty() ? "" : ", account " + account, ", ",
                                  is_of_wallet ? "signed by its wallet" : concat(credential.scheme(), " credential"));
  const bool red = real_write && context_->environment().err_is_terminal && context_->globals().color != "never";
  context_->say(line, red ? "\x1b[41;97m" : "");
}

void Connection::remember(const Call& call, const Credential& credential, const Outgoing& outgoing,
                          const Failure& failure, std::optional<int> status) {
  // The requests of `why` itself need no explanation, and whoever asks why means the write, not the look-up after it,
  // nor what completion or a shell reads unasked.
  const bool is_unasked = context_->command().starts_with("__") ||
                          (context_->shell_session() != nullptr && context_->shell_session()->in_background);
  if (call.operation->base == api::PathBase::control || context_->command() == "why" || sought_ != nullptr ||
      is_unasked)
    return;
  const auto* hmac = std::get_if<HmacCredential>(&credential.how);
  const auto signature = outgoing.request.headers.find("X-Signature");
  Json record = Json::object({{"version", 1},
                              {"id", make_ulid(context_->environment())},
                              {"at_ms", outgoing.began_ms},
                              {"signed_at_ms", outgoing.signed_at_ms},
                              {"command", context_->command()},
                              {"operation", call.operation->name},
                              {"sent_to", network_->origin()},
                              {"method", outgoing.request.method},
                              {"target", shown_target(outgoing.request.target, Mask::size)},
                              {"signed_path", outgoing.signed_path},
                              {"scheme", credential.scheme()},
                              {"canonical", has_secret(outgoing.request.target) ? Json() : Json(outgoing.canonical)},
                              {"key_id", hmac != nullptr ? Json(hmac->key_id) : Json()},
                              {"account", credential.account},
                              {"signature_sha256", signature ? Json(to_hex(signing::sha256(*signature))) : Json()}});
  if (outgoing.action) {
    record.set("action", Json::object({{"type", outgoing.action->type},
                                       {"signer", to_string(outgoing.action->signer)},
                                       {"nonce", std::to_string(outgoing.action->nonce)},
                                       {"digest", to_hex_0x(outgoing.action->digest)}}));
  }
  record.set("skew_ms", facts_ ? Json(facts_->skew_ms) : Json()).set("status", status);
  record.set("code", failure.code).set("exit", static_cast<int>(failure.exit)).set("message", failure.message);
  const auto kept = keep_failure(*paths_, network_->name, record);
  if (!kept) context_->notice("failure_log", kept.error().message);
}

// A signature does not reveal the key, so the way out may go over an unencrypted connection; a token may not.
Result<void> Connection::check_line(const Credential& credential) {
  auto safe = check_privacy(network_->name, network_->funds, network_->rest);
  const bool signs =
      std::holds_alternative<HmacCredential>(credential.how) || std::holds_alternative<AgentCredential>(credential.how);
  if (safe || !signs || !context_->is_way_out()) return safe;
  context_->notice(safe.error().code, safe.error().message);
  return {};
}

void Connection::use_base(const Base& base) {
  network_->use(base);
  ++times_gone_on_;
  transport_.reset();
  facts_ = nullptr;
  host_.reset();
  unanswered_.reset();
  host_confirmed_ = stream_host_checked_ = false;
  went_over_ = true;
}

Result<void> Connection::go_on(const std::string& why, Asking how) {
  if (!has_other_bases()) return {};
  const std::string left = network_->origin();
  use_base(network_->next_base());
  const auto standing = SVC_TRY(identify_host(how));
  if (standing != HostStanding::unreachable && network_->origin() != left) {
    // Not that nothing happened: a write before the question that was not answered may have arrived.
    context_->notice("base_left", concat(left, ": ", why, "; going on with ", network_->origin()),
                     Context::Frequency::once_per_shell);
  }
  return {};
}

void Connection::leave_base(Failure& refused) {
  if (!has_other_bases()) return;
  use_base(network_->next_base());
  static_cast<void>(begin_with_base_in_use(*paths_, *network_, context_->now_ms()));
  refused.message += "; what comes next begins with " + network_->origin();
}

const ServerFacts* Connection::known_facts() {
  if (facts_ != nullptr) return facts_;
  auto cached = cached_facts(*paths_, *network_);
  if (cached && suffice(*cached)) {
    keep_facts(std::move(*cached));
  } else if (!context_->may_read()) {
    facts_ = &(heard_[network_->origin()] = ServerFacts{});
  }
  return facts_;
}

Result<const ServerFacts*> Connection::facts() {
  const ServerFacts* known = known_facts();
  return known != nullptr ? known : fresh_facts();
}

Result<const ServerFacts*> Connection::facts_here() {
  const ServerFacts* known = known_facts();
  return known != nullptr ? known : ask_host(Asking::patiently);
}

Result<const ServerFacts*> Connection::fresh_facts() {
  if (!has_other_bases()) return ask_host(Asking::patiently);
  const auto asked = ask_host(Asking::unrepeated);
  if (asked || asked.error().exit != ExitCode::unavailable) return asked;
  SVC_TRY(go_on(asked.error().why(), Asking::patiently));
  if (host_ == HostStanding::unreachable) return unexpected(*unanswered_);
  return facts_here();
}

void Connection::keep_facts(ServerFacts facts) {
  facts_ = &(heard_[network_->origin()] = std::move(facts));
  facts_->taken = taken_texts(*paths_, **context_->config(), *network_, *facts_);  // by which the network was found
}

Result<const ServerFacts*> Connection::ask_host(Asking how) {
  const Globals& globals = context_->globals();
  const Call call = call_of<api::ops::GetMetadata>();
  const auto pause_ms = [&](const Answered& response) -> std::optional<std::int64_t> {
    if (how == Asking::briefly || (how == Asking::unrepeated && !response)) return std::nullopt;
    // If the host cannot be reached, the call itself cannot either.
    const bool again = how == Asking::patiently || (!response && response.error().delivery == api::Delivery::not_sent);
    if (!response) return again ? std::optional(limits::retry_pause_ms) : std::nullopt;
    if (response->status != 429 || globals.rate != RateMode::wait) return std::nullopt;
    return std::min(failure_of(call, *response, network_->name).retry_after_ms.value_or(limits::retry_pause_ms),
                    limits::rate_wait_ms_max);
  };
  // A base that hangs must leave time for the next one.
  const auto bases = static_cast<std::int64_t>(network_->bases.size());
  const std::int64_t brief_ms = std::max(identity_patience_way_out_ms / bases, base_patience_way_out_ms_min);
  const std::int64_t began_ms = context_->uptime_ms();
  const Ask ask = [&](const api::HttpRequest& request) -> Answered {
    if (how == Asking::briefly && context_->uptime_ms() - began_ms >= brief_ms) return not_sent("no time to ask on");
    auto response = send(request);
    for (int left = globals.retries; left > 0; --left) {
      const auto wait_ms = pause_ms(response);
      if (!wait_ms || !has_time_for(*wait_ms) || !context_->environment().pause(*wait_ms)) break;
      response = send(request);
    }
    return response;
  };
  // The connection for the call has the user's timeout; this one is shorter.
  std::unique_ptr<api::Transport> patient;
  const std::int64_t patient_ms = transport_timeout_ms_;
  const bool brief = how == Asking::briefly && globals.timeout_ms > brief_ms;
  if (brief) {
    std::swap(patient, transport_);
    answer_ms_max_ = brief_ms;
  }
  auto heard = ask_facts(*network_, announced_version(*context_), ask, [&] { return context_->now_ms(); });
  if (brief) {
    transport_ = std::move(patient);
    transport_timeout_ms_ = patient_ms;
    answer_ms_max_ = std::numeric_limits<std::int64_t>::max();
  }
  if (!heard) return explain_absence(std::move(heard.error()));
  heard->uptime_ms = context_->uptime_ms();
  keep_facts(std::move(*heard));
  keep_facts_for_others();
  return facts_;
}

void Connection::keep_facts_for_others() {
  const auto kept = facts_->serves(*network_) ? std::nullopt : cached_facts(*paths_, *network_);
  const auto proof = kept ? check_identity(*kept, *network_, bound_network(*paths_, *network_)) : Identity::silent;
  if (proof && *proof == Identity::proved) return;
  if (const auto stored = cache_facts(*paths_, *network_, *facts_); !stored)
    context_->notice("not_kept", stored.error().message);
}

void Connection::follow_clock(std::int64_t skew_ms) {
  facts_->skew_ms = skew_ms;
  keep_facts_for_others();
}

Result<ServerFacts> ask_briefly(Context& context, const Network& network) {
  const std::int64_t timeout_ms = std::min(context.globals().timeout_ms, identity_patience_way_out_ms);
  const auto transport = context.environment().connect(context.route_to(network.origin(), timeout_ms));
  if (!transport) return usage_error(transport.error());
  return ask_facts(
      network, announced_version(context), [&](const api::HttpRequest& request) { return (*transport)->send(request); },
      [&] { return context.now_ms(); });
}

Result<Identity> Connection::judge(const ServerFacts& facts, const std::optional<std::string>& bound_to) {
  const auto identity = SVC_TRY(check_identity(facts, *network_, bound_to));
  auto others = cached_facts_elsewhere(*paths_, *network_);
  for (const auto& [origin, known] : heard_)
    if (origin != network_->origin()) others.emplace_back(origin, known);
  for (const auto& [origin, known] : others) {
    const Base& other = *network_->base_at(origin);
    auto differs = contradiction(facts, *network_, known, other);
    // It may say something else by now.
    if (differs && context_->may_read()) {
      Network there = *network_;
      there.use(other);
      if (auto now = ask_briefly(*context_, there)) {
        now->taken = facts.taken;
        differs = contradiction(facts, *network_, *now, other);
        static_cast<void>(cache_facts(*paths_, there, *now));
        heard_[origin] = std::move(*now);
      }
    }
    if (!differs) continue;
    return guard("wrong_deployment", network_->origin(), " and ", origin, ", bases of network ", network_->name,
                 ", are of two deployments: ", *differs, "; nothing was sent")
        .to_try({"svc network show " + network_->name});
  }
  return identity;
}

Result<Connection::HostStanding> Connection::identify_host(Asking how) {
  if (host_ && (*host_ != HostStanding::unreachable || how != Asking::patiently)) return *host_;
  if (!has_other_bases()) return identify_base(how);
  const Base first{.rest = network_->rest, .ws = network_->ws};
  const auto uptime_ms = [&] { return context_->uptime_ms(); };
  const std::int64_t began_ms = uptime_ms();
  const bool brief = how == Asking::briefly;
  std::optional<Failure> why;  // set as soon as a base was asked, and one always is
  std::size_t tried = 0;
  const auto is_late = [&] { return brief && why && uptime_ms() - began_ms >= identity_patience_way_out_ms; };
  for (int left = how == Asking::patiently ? context_->globals().retries : 0;; --left) {
    for (std::size_t i = 0; i < network_->bases.size() && !is_late(); ++i) {
      const auto standing = SVC_TRY(identify_base(brief ? Asking::briefly : Asking::unrepeated));
      if (standing != HostStanding::unreachable) return standing;
      why = why ? telling_failure(*why, *unanswered_) : *unanswered_;
      tried = std::max(tried, i + 1);
      if (why->exit != ExitCode::unavailable) return unexpected(*why);
      use_base(network_->next_base());
    }
    if (left == 0 || !has_time_for(limits::retry_pause_ms)) break;
    if (!context_->environment().pause(limits::retry_pause_ms)) break;
  }
  const std::size_t all = network_->bases.size();
  if (tried == all) use_base(first);  // else one that was not asked is in use, and may answer
  // What was proved a moment ago still holds.
  const auto last = brief ? cached_facts(*paths_, *network_) : std::nullopt;
  if (last && network_name_is_fresh(*last, *network_, context_->now_ms())) return identify_base(Asking::once);
  why->message +=
      concat("; ", tried == all ? "all " : concat(tried, " of the "), all, " bases of the network were tried");
  host_ = HostStanding::unreachable;
  unanswered_ = why;
  if (how != Asking::patiently) continue_with(cached_facts(*paths_, *network_), false);
  return *host_;
}

Result<Connection::HostStanding> Connection::identify_base(Asking how) {
  const auto bound_to = bound_network(*paths_, *network_);
  const auto learn = [&](Identity identity, const ServerFacts& facts) {
    host_ = identity == Identity::proved ? HostStanding::proved : HostStanding::silent;
    if (identity != Identity::proved || bound_to || !context_->may_read()) return *host_;
    const auto bound = bind_network(*paths_, *network_, *facts.serves(*network_));
    if (!bound) context_->notice("not_kept", bound.error().message);
    return *host_;
  };
  const auto last = facts_ != nullptr ? std::optional(*facts_) : cached_facts(*paths_, *network_);
  // The way out first finds a base that answers: what is lost at one that hangs is not sent to another.
  const bool must_answer = how == Asking::briefly && has_other_bases();
  // The answer on disk that named no network may have been a proxy's page, so the host is asked again. The way out goes
  // on without asking.
  const bool is_old_silence = facts_ == nullptr && last && !last->serves(*network_) && context_->may_read();
  const bool asks_again = must_answer || (is_old_silence && how != Asking::briefly);
  if (last && !asks_again && network_name_is_fresh(*last, *network_, context_->now_ms())) {
    // The address may serve the right network by now.
    const auto identity = judge(*last, bound_to);
    if (identity) {
      if (facts_ == nullptr && suffice(*last)) keep_facts(*last);
      return learn(*identity, *last);
    }
  }
  if (!context_->may_read()) {
    if (last) SVC_TRY(judge(*last, bound_to));
    host_ = HostStanding::not_asked;
    return *host_;
  }
  const auto asked = ask_host(how);
  if (asked) {
    const auto identity = SVC_TRY(judge(**asked, bound_to));
    return learn(identity, **asked);
  }
  if (last) SVC_TRY(judge(*last, bound_to));
  unanswered_ = asked.error();
  host_ = HostStanding::unreachable;
  if (how != Asking::patiently) continue_with(last, false);
  return *host_;
}

Result<const ServerFacts*> Connection::facts_for(const Call& call) {
  if (facts_ || !on_way_out(call) || !context_->may_read()) return facts_here();
  auto last = cached_facts(*paths_, *network_);
  const bool fresh = last && is_fresh(*last, *network_, context_->now_ms(), context_->uptime_ms());
  if (!fresh && ask_host(Asking::briefly)) return facts_;
  continue_with(std::move(last), fresh);
  return facts_;
}

// Without an answer, the last known facts are used; except for a sandbox, the clock skew is not.
void Connection::continue_with(std::optional<ServerFacts> last, bool fresh) {
  keep_facts(last ? std::move(*last) : ServerFacts{});
  if (!fresh && !network_->is_local()) facts_->skew_ms.reset();
}

Result<void> Connection::prove_host() {
  const auto standing = SVC_TRY(identify_host(Asking::patiently));
  switch (standing) {
    case HostStanding::proved: return {};
    case HostStanding::unreachable: return unexpected(*unanswered_);
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

Result<void> Connection::admit_host(const Call& call, const Credential& credential) {
  const api::Operation& operation = *call.operation;
  // A sandbox's control API belongs to no network and takes no credential.
  if (operation.base == api::PathBase::control) return {};
  const bool bears_secret = std::holds_alternative<BearerCredential>(credential.how);
  const bool is_signed = !std::holds_alternative<NoCredential>(credential.how) || call.is_of_owner();
  if (!is_signed && !operation.is_write()) return {};
  // A signed request contains nothing that could be reused: the secret stays here.
  const bool harmless = is_signed && !bears_secret && !call.is_of_owner() && !operation.changes_something();
  const bool way_out = operation.is_write() ? call.direction == Direction::way_out : harmless && on_way_out(call);
  if (!way_out && !harmless) return prove_host();
  const auto standing = SVC_TRY(identify_host(way_out ? Asking::briefly : Asking::once));
  if (standing == HostStanding::proved) return {};
  if (standing == HostStanding::not_asked) return prove_host();
  if (standing == HostStanding::unreachable && !way_out && unanswered_->code == "not_sent")
    return unexpected(*unanswered_);
  const std::string why = standing == HostStanding::unreachable ? " (" + unanswered_->message + ")" : "";
  context_->notice("network_unproved",
                   concat(network_->origin(), " does not say which network it serves", why, "; sent all the same"),
                   Context::Frequency::once_per_shell);
  return {};
}

Result<void> Connection::check_stream_host() {
  const auto url = network_->ws ? api::parse_url(*network_->ws) : Result<api::Url, std::string>(network_->rest);
  const bool elsewhere = url && !same_place(*url, network_->rest);
  if (!elsewhere || stream_host_checked_ || !context_->may_read()) return {};
  SVC_TRY(prove_host());
  const auto known = SVC_TRY(facts_here());
  stream_host_checked_ = true;
  const Json* row = known->row_of(known->serves(*network_).value_or(network_->name));
  for (const Json& published : {known->metadata.value_at("ws_url"), row ? row->value_at("ws_url") : Json(),
                                row ? row->value_at("ws_authenticated_url") : Json()}) {
    const auto named = api::parse_url(published.text());
    if (named && same_place(*named, *url)) return {};
  }
  Network streams = *network_;
  streams.rest = *url;
  streams.rest.scheme = api::is_tls(url->scheme) ? api::Scheme::https : api::Scheme::http;
  const auto heard = ask_briefly(*context_, streams);
  // Stream hosts often serve no metadata, and a token is valid only on the network that issued it.
  if (!heard) return {};
  SVC_TRY(check_identity(*heard, streams, bound_network(*paths_, *network_)));
  return {};
}

void Connection::report_deprecation(const api::HttpRequest& request, const api::HttpResponse& response) {
  const auto deprecation = response.headers.find("Deprecation");
  const auto sunset = response.headers.find("Sunset");
  if (!deprecation && !sunset) return;
  const std::string ours = first_text({request.headers.find(api::version_header), api::client_version});
  const auto ends_ms = sunset ? parse_http_date(*sunset) : std::nullopt;
  std::string message =
      "API version " + ours + " is announced to end" + (ends_ms ? ": it is served until " + rfc3339(*ends_ms) : "");
  if (const auto link = response.headers.find("Link")) {
    const std::string guidance = deprecation_link(*link);
    if (!guidance.empty()) message += "; see " + escaped(guidance);
  }
  const bool is_news = context_->first_today(message);
  context_->notice("deprecated", message,
                   is_news ? Context::Frequency::every_line : Context::Frequency::documents_only);
}

Failure Connection::explain_absence(Failure failure) const {
  const bool is_absent = was_tried_ && failure.code == "not_sent";
  if (!is_absent || !network_->is_local() || !api::is_loopback(network_->rest.host)) return failure;
  auto running = running_sandboxes(*paths_);
  if (running.empty() && !has_other_bases()) {
    failure.message += "; no sandbox is running";
    failure.actions.insert(failure.actions.begin(), "svc serve --local &");
  }
  // Whoever chose one of the bases would lose the others.
  std::erase_if(running, [&](const RunningSandbox& one) {
    const auto url = api::parse_url(one.url);
    return url && std::ranges::any_of(network_->bases, [&](const Base& base) {
             const bool both_here = api::is_loopback(base.rest.host) && api::is_loopback(url->host);
             return base.rest.port == url->port && (both_here || base.rest.host == url->host);
           });
  });
  for (const RunningSandbox& one : running) {
    failure.message += "; sandbox " + one.name + " runs at " + one.url;
    failure.actions.push_back("eval \"$(svc local env --name " + one.name + ")\"");
  }
  return failure;
}

void Connection::explain_version(Failure& failure, const api::HttpResponse& response) {
  const bool of_version = failure.code == "api_version_unsupported" || response.headers.find(api::min_version_header);
  if (failure.exit != ExitCode::version || !of_version) return;
  const Json& said = failure.details;
  Json metadata;
  if (!said.string_at("min_version") || !said.string_at("spec_url")) {
    if (const auto known = facts_here()) metadata = (*known)->metadata;
  }
  const std::string least = first_text({said.string_at("min_version"), response.headers.find(api::min_version_header),
                                        metadata.string_at("min_api_version")});
  const std::string spec = first_text({said.string_at("spec_url"), metadata.string_at("api_version.spec_url")});
  if (!least.empty()) {
    failure.message += "; the oldest version that is served is " + least;
    failure.details.set("min_version", least);
  }
  if (!spec.empty()) {
    failure.message += ", described at " + spec;
    failure.details.set("spec_url", spec);
  }
}

Result<Outgoing> Connection::make_ready(const Call& call, const Credential& credential) {
  const Globals& globals = context_->globals();
  const bool only_shown = globals.dry_run && (call.operation->is_write() || !context_->may_read());
  const auto shift_ms = SVC_TRY(clock_shift(call, credential));
  if (!only_shown) {
    const auto paid = take_budget(call, credential);
    if (!paid && !may_continue_without_files(call, paid.error())) return unexpected(paid.error());
  }
  const TimestampMs began_ms = context_->now_ms();
  auto outgoing = SVC_TRY(make_outgoing(call, credential, shift_ms));
  outgoing.began_ms = began_ms;
  if (globals.print_canonical) context_->environment().err(escaped(explain_signatures(outgoing), "\n"));
  if (only_shown) {
    charge(call, nullptr);
    Json plan = describe(outgoing, call, credential.scheme(), *network_);
    context_->note_planned(plan);
    return dry_run(std::move(plan));
  }
  announce(call, credential);
  return outgoing;
}

// A key of SVC_API_KEY may be of another account than SVC_ACCOUNT says, and what it has is shown. A stored credential
// is of the account that it is stored for: what a read tells of another one is not the answer to it.
Result<void> Connection::compare_owner(const Call& call, const Credential& credential, const Json& body) {
  const auto meant = parse_address(sent_for(credential));
  const auto owner = meant ? other_owner(call, body, *meant) : std::nullopt;
  if (!owner) return {};
  if (!call.operation->is_write() && credential.wallet) {
    Failure failure = unreadable(call, 0);
    failure.message = concat("the answer tells of account ", to_string(*owner), ", not of ", to_string(*meant));
    return unexpected(std::move(failure));
  }
  context_->facts().account = to_string(*owner);
  context_->notice("wrong_account", concat("the credential acts for account ", to_string(*owner), ", not for ",
                                           to_string(*meant), ", which was named"));
  return {};
}

Result<Reply> Connection::reply_of(const Call& call, const Credential& credential, const Outgoing& outgoing,
                                   Answered& response) {
  if (context_->globals().verbose) {
    context_->say(concat(outgoing.request.method, " ", shown_target(outgoing.request.target, Mask::size), ": ",
                         response ? std::to_string(response->status) : response.error().reason, " after ",
                         context_->now_ms() - outgoing.began_ms, " ms"));
  }
  if (!response) return explain_absence(failure_of(call, response.error(), outgoing.began_ms));
  charge(call, &*response);
  const auto learn = [&] {
    if (buckets_) budget::learn(*buckets_, *context_, call, credential, *response);
  };
  if (!is_success(response->status)) {
    learn();
    Failure refused = failure_of(call, *response, network_->name);
    explain_version(refused, *response);
    return unexpected(std::move(refused));
  }
  if (call.received != nullptr) *call.received = response->body;
  auto body = response->body.empty() ? Result<Json, std::string>(Json()) : parse_json(response->body);
  if (!body && call.raw_path) body = Json(response->body);  // such as /llms.txt
  // A part of an answer, or a page of somebody in between, proves nothing, even if it can be read.
  constexpr int partial_content = 206;
  const bool is_page = response->headers.find("Content-Type").value_or("").starts_with("text/html");
  // Of a read nothing is concluded from any other status than its own, such as that there is nothing to list.
  const bool is_its_status =
      call.operation->is_write() ? response->status != partial_content : response->status == call.operation->success;
  const bool is_whole = call.raw_path || (is_its_status && !is_page);
  if (!body || !is_whole || !answers(call, *body)) return unreadable(call, outgoing.began_ms);
  SVC_TRY(compare_owner(call, credential, *body));
  learn();  // an answer from a proxy tells nothing of limits
  return Reply{
      .status = response->status,
      .headers = std::move(response->headers),
      .body = call.response == nullptr || call.keeps_members ? std::move(*body) : with_extra(*body, *call.response),
      .raw = std::move(response->body)};
}

Result<Reply> Connection::read(const Call& call) {
  SVC_ASSERT(!call.operation->is_write());
  const auto credential = SVC_TRY(admit(call));
  return ask(call, credential);
}

std::optional<Credential> Connection::other_key(const Call& call, const Credential& refused,
                                                const Result<Reply>& reply) {
  const std::string key = refused.key();
  const bool is_api_key = std::holds_alternative<HmacCredential>(refused.how);
  const bool may_be_replaced = is_api_key || on_way_out(call);  // an agent's only there
  const bool was_refused = !reply && reply.error().exit == ExitCode::authentication && reply.error().raw;
  if (!was_refused || key.empty() || !refused.wallet || !may_be_replaced) return std::nullopt;
  // A write may be refused for its nonce or its action. Only if a read is refused too, the key is at fault.
  if (call.operation->is_write() && !on_way_out(call)) {
    const auto probe = ask_once(call_of<api::ops::GetAccount>(), refused, ForWhy::forgotten);
    if (probe || probe.error().exit != ExitCode::authentication) return std::nullopt;
  }
  context_->pass_over_key(key);
  auto other = admit(call);
  if (!other || other->account != refused.account || context_->is_passed_over(other->key())) return std::nullopt;
  const auto named = [](const Credential& one) {
    return (std::holds_alternative<HmacCredential>(one.how) ? "API key " : "agent ") + one.key();
  };
  const std::string remedy = is_api_key ? concat(" (keys delete --forget ", key, " forgets it)") : "";
  // A notice already says that an API key stands in for an agent.
  if (is_api_key || std::holds_alternative<AgentCredential>(other->how))
    context_->notice("key_refused",
                     concat("the service refused ", named(refused), remedy, "; ", named(*other), " is used"));
  return std::move(*other);
}

Result<Reply> Connection::try_keys(const Call& call, Credential credential, const SendWith& send_with) {
  while (true) {
    auto reply = send_with(credential);
    auto other = other_key(call, credential, reply);
    if (!other) return reply;
    credential = std::move(*other);
  }
}

Result<Reply> Connection::ask_once(const Call& call, const Credential& credential, ForWhy failure) {
  const auto outgoing = SVC_TRY(make_ready(call, credential));
  auto response = send(outgoing.request, call.answer_ms_min);
  auto reply = reply_of(call, credential, outgoing, response);
  if (!reply && failure == ForWhy::kept) remember(call, credential, outgoing, reply.error(), status_in(response));
  return reply;
}

Result<Reply> Connection::ask(const Call& call, const Credential& first) {
  return try_keys(call, first, [&](const Credential& credential) {
    const auto attempt = [&] { return ask_once(call, credential, ForWhy::kept); };
    return repeat(call, credential, attempt, [](const Failure&, Again) { return std::nullopt; });
  });
}

// The refused request was signed with the clock, the domain and the nonce that were known then; each may be stale.
bool Connection::has_remedy(const Call& call, const Credential& credential, const Failure& refused, Remedies& tried) {
  // A request refused for its signature has changed nothing, and a sandbox may have been replaced or its clock moved.
  const bool may_be_old = (network_->is_local() || on_way_out(call)) && facts_ && refused.raw;
  // Facts may come from a cache, with an old time; a refusal does not.
  if (may_be_old && !tried.told_skew_ms && answer_skew_ms_ && !is_near(facts_->skew_ms, answer_skew_ms_)) {
    tried.told_skew_ms = answer_skew_ms_;
    follow_clock(*tried.told_skew_ms);
    return true;
  }
  if (may_be_old && !std::exchange(tried.looked_anew, true)) {
    const ServerFacts old = *facts_;
    const auto fresh = ask_host(on_way_out(call) ? Asking::briefly : Asking::patiently);
    if (fresh && tried.told_skew_ms) follow_clock(*tried.told_skew_ms);
    // Two measurements of one skew differ a little.
    if (fresh && (old.metadata.dump() != facts_->metadata.dump() || !is_near(old.skew_ms, facts_->skew_ms)))
      return true;
  }
  // Another program may have used a later nonce of the wallet; the key alone may do.
  if (action_sent_ && !wallet_failure_ && may_go_unsigned(call, credential)) {
    wallet_failure_ = failed(refused.exit, refused.code, "the service refused it with one");
    return true;
  }
  // The clock that was followed may be that of an intermediary. A nonce of a clock that is wrong would do harm.
  const bool has_nonce = action_sent_ || std::holds_alternative<AgentCredential>(credential.how);
  const bool may_be_the_clock = may_be_old && on_way_out(call) && correction_ms(*facts_) != 0 && !has_nonce;
  if (!may_be_the_clock || std::exchange(tried.own_clock, true)) return false;
  facts_->skew_ms = 0;
  return true;
}

Result<Reply> Connection::repeat(const Call& call, const Credential& credential, const Attempt& attempt,
                                 const BeforeAgain& before_again) {
  const Globals& globals = context_->globals();
  const std::size_t others = network_->bases.size() - 1;
  std::size_t others_left = others;    // in this round
  std::optional<std::string> sent_to;  // bytes may have arrived there
  // What was read since the call was admitted may have gone over to another base.
  if (others > 0) SVC_TRY(admit_here(call, credential));
  std::int64_t pause_ms = limits::retry_pause_ms;
  LimitWaits waits;
  const std::int64_t began_ms = context_->uptime_ms();
  // The coming wait does not count: a position that could be closed after it must not stay open.
  const auto is_patience_over = [&] {
    const bool is_bounded = !call.operation->is_write() && on_way_out(call);
    return is_bounded && context_->uptime_ms() - began_ms >= read_patience_way_out_ms;
  };
  std::optional<Failure> told;  // by a base that failed before
  Remedies tried;
  for (int left = globals.retries;;) {
    auto reply = attempt();
    if (reply) return reply;
    auto* failure = failure_in(reply);
    if (failure == nullptr) return reply;
    if (!nothing_was_sent(*failure)) sent_to = network_->origin();
    if (failure->exit == ExitCode::authentication && has_remedy(call, credential, *failure, tried)) {
      static_cast<void>(before_again(*failure, Again::at_once));
      continue;
    }
    const Retry retry = allowed_retry(call, *failure);
    const bool stays = sent_to && call.operation->is_write();
    if (retry == Retry::after_pause && !stays && others_left > 0 && has_time_for(0)) {
      told = told ? telling_failure(*told, *failure) : *failure;
      SVC_TRY(go_on(failure->why(), on_way_out(call) ? Asking::briefly : Asking::patiently));
      const bool needs_proof = call.operation->is_write() && call.direction != Direction::way_out;
      if (needs_proof && host_ == HostStanding::unreachable) return unexpected(*unanswered_);
      SVC_TRY(admit_here(call, credential));
      // If none says what it is, the call may be tried once more, where that does not matter.
      const bool none_answers = host_ == HostStanding::unreachable;
      others_left = none_answers ? 0 : others_left - 1;
      left = none_answers ? 0 : left;
      continue;
    }
    std::int64_t wait_ms = 0;
    switch (retry) {
      case Retry::no: return reply;
      case Retry::after_header:
        // The budgets of a sandbox come back with its clock, which may stand still. Only a Date of this answer tells:
        // then its skew is known.
        if (network_->is_local() && answer_skew_ms_ && waits.stand_still(server_date_ms_)) {
          failure->message += "; the sandbox's clock stands still, and its budgets come back with it";
          failure->actions = {"svc local time advance 1s", "svc serve --local --limits off"};
          return reply;
        }
        wait_ms = std::max(*failure->retry_after_ms, limits::retry_pause_ms);
        waits.add(wait_ms);
        if (globals.rate != RateMode::wait || waits.all_ms > limits::rate_wait_ms_max || is_patience_over())
          return reply;
        context_->say("note: rate limited; waiting " + seconds_text(wait_ms));
        put_off_stop(wait_ms);
        break;
      case Retry::after_pause:
        wait_ms = failure->retry_after_ms.value_or(pause_ms);
        if (left-- == 0 || wait_ms > limits::rate_wait_ms_max || is_patience_over()) {
          if (others_left < others) {
            if (told) *failure = telling_failure(*told, *failure);
            failure->message += concat("; all ", others + 1, " bases of the network were tried");
          }
          return reply;
        }
        pause_ms = std::min(pause_ms * 2, limits::retry_pause_ms_max);
        others_left = others;
        break;
    }
    if (!has_time_for(wait_ms)) return reply;
    if (auto settled = before_again(*failure, Again::after_pause)) return std::move(*settled);
    // A look-up may have gone over to another base; the write may not.
    if (stays && *sent_to != network_->origin()) return reply;
    if (!context_->environment().pause(wait_ms)) return reply;
  }
}

Result<void> Connection::admit_here(const Call& call, const Credential& credential) {
  SVC_TRY(admit_host(call, credential));  // which may go over to another base
  return check_line(credential);
}

Result<Credential> Connection::admit(const Call& call) {
  if (!call.raw_path && !api::is_path_of(*call.operation, call.path))
    return usage_error(
        api::to_string(call.operation->method), ' ', call.operation->path, " cannot be sent as ", call.path,
        ": an id in a path is not empty, no . or .., no word of another path, and has no slash; nothing was sent");
  if (context_->globals().record_file == "-" && !context_->is_way_out()) return usage_error(record_is_no_file);
  auto credential = SVC_TRY(choose_credential(*context_, *network_, call));
  // Admin operations and public reads belong to no account.
  const bool is_of_account = credential.scheme() != "none" && !call.operation->auth.has(api::Auth::admin);
  if (sought_ != nullptr && is_of_account && !can_show_write(*sought_, credential)) {
    return another_account(*sought_, credential);
  }
  if (call.account && credential.account && *call.account != *credential.account) {
    return failed(another_account_code, last_segment(call.path), " is of account ", to_string(*call.account),
                  ", and this would be sent for ", to_string(*credential.account), "; nothing was sent")
        .to_try({"add -a " + to_string(*call.account)});
  }
  SVC_TRY(check_line(credential));
  if (credential.account) {
    context_->facts().account = to_string(context_->globals().account.value_or(*credential.account));
  }
  SVC_TRY(admit_here(call, credential));
  return credential;
}

Call transfers_call(const Connection::Owner& owner, std::uint32_t rows, const std::optional<std::string>& cursor) {
  return call_of<api::ops::ListTransfers>(
      {.account = owner.account, .domain = owner.terms.deployment, .limit = rows, .cursor = cursor});
}

}  // namespace svc::cli
