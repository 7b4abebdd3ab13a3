// A connection to one network: chooses the credential, proves the host, signs, pays, sends, repeats and explains
// failures. It reads; what writes need besides is in exchange.h.
//
// Promises
//   - Nothing is sent twice unless it is proven that the first request had no effect (refusal.h).
//   - No credential, signature or write goes to a host that serves another network than the one named, nor before the
//     host was asked which one it serves. Only the way out goes on without an answer.
//   - --dry-run opens no connection.
//   - Each of a network's bases is held to all of this before it gets anything. What does not answer at one base goes
//     on to the next: reads always, writes only if no byte of them has left this machine. (D-861, D-862)
#pragma once

#include <limits>
#include <map>
#include <memory>

#include "cli/client/budget.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/client/redaction.h"
#include "cli/client/server_facts.h"
#include "cli/machine/private_file.h"
#include "cli/store/nonce_file.h"
#include "cli/store/outbox.h"

namespace svc::cli {

inline constexpr std::string_view another_account_code = "another_account";

// After that long the way out repeats no read at the same base: one answer's time, not three. (D-1122)
inline constexpr std::int64_t read_patience_way_out_ms = limits::request_timeout_ms_default;

// What the network's base in use says of itself now, asked once and briefly.
Result<ServerFacts> ask_briefly(Context& context, const Network& network);

class Connection {
 public:
  // The reply of a successful call that is no write; anything else is a failure.
  Result<Reply> read(const Call& call);
  template <class Op>
  Result<Json> read(const typename Op::Request& request = {}) {
    auto reply = SVC_TRY(read(call_of<Op>(request)));
    return std::move(reply.body);
  }

  // What the server says of itself, cached or read now. A dry run takes the cached facts, however old.
  Result<const ServerFacts*> facts();

  // Reads them now, whatever is cached. Not for a dry run.
  Result<const ServerFacts*> fresh_facts();

  // Goes over to the next base, if there is another; exit 14 if it is of another network or deployment.
  Result<void> go_on(const std::string& why) { return go_on(why, Asking::patiently); }

  // Checks that the host serves the named network before anything is signed for it: exit 14 if it serves another, exit
  // 3 if it does not say and nobody confirms it, exit 10 if it does not answer.
  Result<void> prove_host();
  // The same for the host of the streams, which may be configured apart, before it gets a token.
  Result<void> check_stream_host();

  // A wallet and what its signatures are bound to. `signer` is valid as long as this connection.
  template <class Terms>
  struct WalletFor {
    Address account;
    const Signer* signer;
    Terms terms;
  };
  // The wallet that signs owner structs. Asks for the password if it was not given; exit 14 if the network's domain or
  // deployment is not known.
  using Owner = WalletFor<SigningTerms>;
  Result<Owner> owner();
  // The wallet that withdraws, and the domain of actions; or that registers an agent, and the published domain for
  // that.
  using DomainWallet = WalletFor<signing::Domain>;
  Result<DomainWallet> withdrawer();
  Result<DomainWallet> registrar();
  // The nonce of what that wallet signs next; a dry run takes none. Other processes cannot draw a nonce for this wallet
  // until the next write was answered: nonces must arrive in order.
  Result<std::uint64_t> next_nonce(const Address& signer, std::int64_t patience_ms = limits::lane_patience_ms);

  [[nodiscard]] const Network& network() const { return *network_; }
  // How often another base was taken into use. If unchanged, all reads since then were of one base.
  [[nodiscard]] std::size_t times_gone_on() const { return times_gone_on_; }

  // For a program that was open for long: the base that answered then may hang by now, so the way out asks again.
  void ask_anew() {
    if (has_other_bases()) host_.reset();
  }

  // Nothing is sent after that time (machine uptime), and requests under way end soon after; nullopt: no limit. The
  // time that requests wait for rate limits puts it off, by `rate_wait_ms_max` together.
  void stop_at(std::optional<std::int64_t> uptime_ms, std::int64_t rate_wait_ms_max = 0) {
    stop_at_uptime_ms_ = uptime_ms;
    rate_wait_left_ms_ = rate_wait_ms_max;
  }

  // Restricts reads to those that can tell what became of that write: a read for another account than the write's fails
  // with exit 4 `another_account`. Null lifts the restriction. (D-780)
  void restrict_reads_to(const outbox::Entry* entry) { sought_ = entry; }
  // Whether reads with the present credential can tell what became of that write.
  Result<void> can_tell_outcome_of(const outbox::Entry& entry);

  // How often the same terms were sent through this connection before; counts this time too.
  [[nodiscard]] std::uint32_t count_asked(const std::string& terms) { return asked_[terms]++; }

  // The Date of the server's latest answer that has a readable one, whole seconds; nullopt before the first.
  [[nodiscard]] std::optional<TimestampMs> server_date_ms() const { return server_date_ms_; }

 protected:
  using Answered = Result<api::HttpResponse, api::TransportError>;

  Connection(Context& context, const Network& network, const Paths& paths);

  // The credential of a call, after all checks of whether it may go to this host.
  Result<Credential> admit(const Call& call);
  // The request, paid for, signed and announced. A dry run ends here.
  Result<Outgoing> make_ready(const Call& call, const Credential& credential);
  // At least so long is waited for the answer, unless --timeout was typed.
  [[nodiscard]] Answered send(const api::HttpRequest& request, std::int64_t answer_ms_min = 0);
  // What the answer means. The reply of a success takes the response's content.
  Result<Reply> reply_of(const Call& call, const Credential& credential, const Outgoing& outgoing, Answered& response);
  // Sends an admitted call; of a write only the plan of its dry run.
  Result<Reply> ask(const Call& call, const Credential& credential);
  enum class ForWhy : bool { forgotten, kept };  // what `svc why` knows of a failure
  Result<Reply> ask_once(const Call& call, const Credential& credential, ForWhy failure);
  // Sends a call with this credential and, while the service refuses the API key, with the others that are stored for
  // the account. (D-935)
  using SendWith = std::function<Result<Reply>(const Credential&)>;
  Result<Reply> try_keys(const Call& call, Credential credential, const SendWith& send_with);

  using Attempt = std::function<Result<Reply>()>;
  enum class Again : std::uint8_t { at_once, after_pause };
  // Told of a failure before the next attempt. A result after a pause ends the attempts.
  using BeforeAgain = std::function<std::optional<Result<Reply>>(const Failure&, Again)>;
  // Repeats the attempts as far as that is allowed and there is time, at one base after the other.
  Result<Reply> repeat(const Call& call, const Credential& credential, const Attempt& attempt,
                       const BeforeAgain& before_again);
  // After this base turned a write away: whatever comes next, here and in other processes, begins with the next one.
  void leave_base(Failure& refused);

  // Keeps a refused or lost request for `svc why`.
  void remember(const Call& call, const Credential& credential, const Outgoing& outgoing, const Failure& failure,
                std::optional<int> status);
  // The way out and reads go on even if files cannot be written; the user gets a notice.
  [[nodiscard]] bool may_continue_without_files(const Call& call, const Failure& failure);
  // The account that a write with this credential changes; empty if not known here.
  [[nodiscard]] std::string sent_for(const Credential& credential) const;

  [[nodiscard]] static std::optional<int> status_in(const Answered& response) {
    return response ? std::optional(response->status) : std::nullopt;
  }

  Context* context_;
  std::unique_ptr<Network> network_;  // its base in use changes
  const Paths* paths_;
  bool host_confirmed_ = false;            // by the user, who knows which network it serves
  std::optional<FileLock> lane_;           // of the signer whose nonce the request carries
  std::unique_ptr<Signer> wallet_signer_;  // of the account's wallet

 private:
  // What was done about refusals of one call.
  struct Remedies {
    std::optional<std::int64_t> told_skew_ms{};  // by a refusal
    bool looked_anew = false;
    bool own_clock = false;
  };
  // Whether a request refused for its signature may be signed otherwise now: by another clock, for what the host says
  // now, or without the action.
  bool has_remedy(const Call& call, const Credential& credential, const Failure& refused, Remedies& tried);
  std::optional<Credential> other_key(const Call& call, const Credential& refused, const Result<Reply>& reply);
  // If the orders of the answer are of another account than the one meant: a warning, or why it is no answer.
  [[nodiscard]] Result<void> compare_owner(const Call& call, const Credential& credential, const Json& body);
  Result<Outgoing> make_outgoing(const Call& call, const Credential& credential, std::int64_t clock_shift_ms);
  // The correction of our clock, after every check that forbids signing.
  Result<std::int64_t> clock_shift(const Call& call, const Credential& credential);
  Result<void> check_line(const Credential& credential);
  Result<void> take_budget(const Call& call, const Credential& credential);
  // Waits until no other process has a request of this signer under way.
  Result<void> wait_for_lane(const Address& signer, std::int64_t patience_ms);
  [[nodiscard]] TimestampMs nonce_time_ms() const;
  // On the way out another process that has no answer is waited for briefly, and once. If the nonce cannot be written
  // down, it is the time, or the one after the last. (D-730)
  Result<std::uint64_t> agent_nonce(const Call& call, const Address& agent);
  Result<std::optional<ActionSigner>> action_signer(const Call& call, const Credential& credential);
  // `held`: what the unlock agent has answered already.
  Result<const Signer*> wallet_signer(const std::string& wallet, std::unique_ptr<Signer> held = nullptr);
  template <class Terms>
  Result<WalletFor<Terms>> wallet_for(Result<Terms> (*terms_of)(const ServerFacts&, const Network&));
  // True for a write that reduces risk, and for the reads of such a command: they go on without anything they can do
  // without.
  [[nodiscard]] bool on_way_out(const Call& call) const {
    return call.direction == Direction::way_out || context_->is_way_out();
  }
  // True if the call is sent even if its action cannot be signed.
  [[nodiscard]] bool may_go_unsigned(const Call& call, const Credential& credential) const;
  [[nodiscard]] bool acts_for_another(const Credential& credential) const;
  void tell_unsigned(const std::string& reason);
  Result<void> sign_as_owner(Outgoing& outgoing, const Call& call, const signing::OwnerStamp& stamp);
  // The timeout for an answer now; nullopt if it is too late to send anything.
  [[nodiscard]] std::optional<std::int64_t> answer_timeout_ms(std::int64_t answer_ms_min) const;
  // True if there is time for a pause and another request.
  [[nodiscard]] bool has_time_for(std::int64_t pause_ms) const {
    return !stop_at_uptime_ms_ || context_->uptime_ms() + pause_ms < *stop_at_uptime_ms_;
  }
  void put_off_stop(std::int64_t rate_wait_ms);

  // How to ask for the host's facts.
  enum class Asking : std::uint8_t {
    patiently,   // with all retries
    once,        // again only if nothing was sent
    unrepeated,  // there are other bases
    briefly,     // on the way out
  };
  enum class HostStanding : std::uint8_t { proved, silent, unreachable, not_asked };
  // Goes over to the next base that answers.
  Result<HostStanding> identify_host(Asking how);
  Result<HostStanding> identify_base(Asking how);
  // Whether the base in use serves the network, and is of the deployment of the other bases. (D-860)
  Result<Identity> judge(const ServerFacts& facts, const std::optional<std::string>& bound_to);
  Result<const ServerFacts*> ask_host(Asking how);
  // They say something and are young enough, or others may not be asked for.
  [[nodiscard]] bool suffice(const ServerFacts& cached) const {
    return !context_->may_read() ||
           (cached.serves(*network_) && is_fresh(cached, *network_, context_->now_ms(), context_->uptime_ms()));
  }
  // The facts of the base in use, if they need not be asked for; else null.
  [[nodiscard]] const ServerFacts* known_facts();
  // Like facts(), without going over to another base.
  Result<const ServerFacts*> facts_here();
  void use_base(const Base& base);
  Result<void> go_on(const std::string& why, Asking how);
  [[nodiscard]] bool has_other_bases() const { return network_->bases.size() > 1; }
  // Like facts(), but the way out does not fail without them.
  Result<const ServerFacts*> facts_for(const Call& call);
  void keep_facts(ServerFacts facts);
  // On disk. An answer that does not name the network leaves the proof of an earlier one there. (D-1004)
  void keep_facts_for_others();
  // The server's clock by its newest answer, also for later runs.
  void follow_clock(std::int64_t skew_ms);
  void continue_with(std::optional<ServerFacts> last, bool fresh);
  // At the base in use.
  Result<void> admit_here(const Call& call, const Credential& credential);
  // Fails if this call may not go to the host. (D-635)
  Result<void> admit_host(const Call& call, const Credential& credential);
  // Reports once a day that the server has announced the end of the version in use.
  void report_deprecation(const api::HttpRequest& request, const api::HttpResponse& response);
  // Adds the versions that the refusal names to the failure.
  void explain_version(Failure& failure, const api::HttpResponse& response);
  // If nobody listens at an address of this machine, adds how to start a sandbox.
  [[nodiscard]] Failure explain_absence(Failure failure) const;
  void charge(const Call& call, const api::HttpResponse* response);
  // Shows the destination and the account: always with -v, and before every write on real funds.
  void announce(const Call& call, const Credential& credential);

  std::unique_ptr<api::Transport> transport_;
  std::int64_t transport_timeout_ms_ = 0;                                  // the timeout of the open transport
  std::int64_t answer_ms_max_ = std::numeric_limits<std::int64_t>::max();  // while a host is asked briefly
  std::optional<Descriptor> record_;                                       // closed: it did not take a request
  std::int64_t record_patience_ms_ = second_ms;                            // in all, for a reader of it. (D-976)
  std::map<std::string, ServerFacts, std::less<>> heard_;                  // by origin
  // Of the base in use, as the next four.
  ServerFacts* facts_ = nullptr;  // in heard_
  std::optional<HostStanding> host_;
  std::optional<Failure> unanswered_;  // why the host is unreachable
  bool stream_host_checked_ = false;
  bool went_over_ = false;  // and it has not answered yet
  bool was_tried_ = false;  // the latest request reached the transport: what failed is not of this machine
  std::size_t times_gone_on_ = 0;
  bool action_sent_ = false;               // with the latest request
  std::optional<Failure> wallet_failure_;  // why the way out went without its signature; the password is asked for once
  const outbox::Entry* sought_ = nullptr;
  std::map<std::string, std::uint32_t, std::less<>> asked_;
  std::uint64_t planned_nonces_ = 0;  // that a dry run has shown
  std::uint64_t unfiled_nonce_ = 0;   // the last one that is not written down
  bool is_lane_busy_ = false;         // on the way out, when it was last tried
  std::optional<budget::BucketFile> buckets_;
  std::optional<TimestampMs> server_date_ms_;
  std::optional<std::int64_t> answer_skew_ms_;  // by the latest answer
  std::optional<std::int64_t> stop_at_uptime_ms_;
  std::int64_t rate_wait_left_ms_ = 0;  // how long requests may still wait for rate limits
};

// Reads a page of the transfers that the owner made or received.
[[nodiscard]] Call transfers_call(const Connection::Owner& owner, std::uint32_t rows,
                                  const std::optional<std::string>& cursor);

}  // namespace svc::cli
