// A connection to one network: chooses the credential, signs, records, sends, waits and explains failures.
//
// Promises
//   - Nothing is sent twice unless it is proven that the first request had no effect (refusal.h).
//   - A write is in the log, on disk, before its first byte is sent.
//   - A write whose answer is lost is looked up before its outcome is reported as unknown.
//   - No credential, signature or write goes to a host that serves another network than the one named, nor before the
//     host was asked which one it serves. Only the way out goes on without an answer.
//   - --dry-run opens no connection.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/client/budget.h"
#include "cli/client/call.h"
#include "cli/client/context.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/client/reconcile.h"
#include "cli/client/redaction.h"
#include "cli/client/server_facts.h"
#include "cli/machine/private_file.h"
#include "cli/store/nonce_file.h"
#include "cli/store/outbox.h"

namespace svc::cli {

inline constexpr std::string_view another_account_code = "another_account";

class Exchange {
 public:
  // Resolves the network. Connects only when something is sent.
  [[nodiscard]] static Result<Exchange, Failure> open(Context& context);

  // The reply of a successful call; anything else is a failure.
  [[nodiscard]] Result<Reply, Failure> call(const Call& call);

  // What the server says of itself, cached or read now. A dry run takes the cached facts, however old.
  [[nodiscard]] Result<const ServerFacts*, Failure> facts();

  // Reads them now, whatever is cached. Not for a dry run.
  [[nodiscard]] Result<const ServerFacts*, Failure> fresh_facts();

  // Checks that the host serves the named network before anything is signed for it: exit 14 if it serves another, exit
  // 3 if it does not say and nobody confirms it, exit 10 if it does not answer.
  [[nodiscard]] Result<void, Failure> prove_host();
  // The same for the host of the streams, which may be configured apart, before it gets a token.
  [[nodiscard]] Result<void, Failure> check_stream_host();

  // The wallet that signs owner structs and withdrawals. Asks for the password if it was not given; exit 14 if the
  // network's domain or deployment is not known.
  struct Owner {
    Address account;
    const Signer* signer;  // valid as long as this exchange
    SigningTerms terms;
  };
  [[nodiscard]] Result<Owner, Failure> owner();
  // The wallet that registers an agent, and the published domain for that.
  struct Registrar {
    Address account;
    const Signer* signer;
    signing::Domain domain;
  };
  [[nodiscard]] Result<Registrar, Failure> registrar();
  // The nonce of what that wallet signs next; a dry run takes none. Other processes cannot draw a nonce for this wallet
  // until the next call was answered: nonces must arrive in order.
  [[nodiscard]] Result<std::uint64_t, Failure> next_nonce(const Address& signer,
                                                          std::int64_t patience_ms = limits::lane_patience_ms);

  [[nodiscard]] const Network& network() const { return *network_; }

  // Nothing is sent after that time (machine uptime), and requests under way end soon after; nullopt: no limit.
  void stop_at(std::optional<std::int64_t> uptime_ms) { stop_at_uptime_ms_ = uptime_ms; }

  // Restricts reads to those that can tell what became of that write: a read for another account than the write's fails
  // with exit 4 `another_account`. Null lifts the restriction. (D-780)
  void restrict_reads_to(const outbox::Entry* entry) { sought_ = entry; }
  // Whether reads with the present credential can tell what became of that write.
  [[nodiscard]] Result<void, Failure> can_tell_outcome_of(const outbox::Entry& entry);

  // How often the same terms were sent through this exchange before; counts this time too.
  [[nodiscard]] std::uint32_t count_asked(const std::string& terms) { return asked_[terms]++; }

  // The Date of the server's latest answer, whole seconds; nullopt before the first.
  [[nodiscard]] std::optional<TimestampMs> server_date_ms() const { return server_date_ms_; }

 private:
  Exchange(Context& context, const Network& network, const Paths& paths)
      : context_(&context), network_(&network), paths_(&paths) {}

  // Signs, records and sends one request, and interprets its answer.
  [[nodiscard]] Result<Reply, Failure> attempt(const Call& call, const Credential& credential);
  [[nodiscard]] Result<Outgoing, Failure> make_outgoing(const Call& call, const Credential& credential,
                                                        std::int64_t clock_shift_ms);
  // The correction of our clock, after every check that forbids signing.
  [[nodiscard]] Result<std::int64_t, Failure> clock_shift(const Call& call, const Credential& credential);
  // In the log, on disk; a way out that cannot be written down is known to this run alone.
  [[nodiscard]] Result<void, Failure> write_down(const Call& call, const Credential& credential,
                                                 const Outgoing& outgoing, TimestampMs now_ms);
  // Keeps a refused or lost request for `svc why`.
  void remember(const Call& call, const Credential& credential, const Outgoing& outgoing, TimestampMs now_ms,
                TimestampMs signed_at_ms, const Failure& failure, std::optional<int> status);
  void conclude(const Call& call, std::optional<int> status, std::string_view code, ExitCode exit);
  // The outcome that could not be written down, if there is one.
  [[nodiscard]] Result<void, Failure> write_missing_outcome();
  [[nodiscard]] Result<void, Failure> confirm(const Call& call);
  // In a shell that nobody used for a while a write needs the wallet's password; the way out does not.
  [[nodiscard]] Result<void, Failure> check_line(const Credential& credential);
  [[nodiscard]] Result<void, Failure> unlock_shell(const Credential& credential);
  // Looks up a write whose answer was lost; returns `lost` if nothing is proven.
  [[nodiscard]] Result<Reply, Failure> look_up_outcome(const Call& call, Failure lost);
  // For a refusal that may have followed acceptance: returns the write if it is found, else the refusal. (D-800)
  [[nodiscard]] Result<Reply, Failure> look_up_after_refusal(const Call& call, Failure refused);
  [[nodiscard]] bool is_refused_for_reads();
  // Reads during a look-up are not in doubt themselves.
  [[nodiscard]] bool is_doubted(const Call& call) const;
  // The refusal is final: nothing happened.
  void close_doubted(const Call& call, const Failure& refused);
  // Nothing proves the write's outcome; its entry stays open.
  [[nodiscard]] Result<Reply, Failure> leave_open(const Result<outbox::Settled, Failure>& settled,
                                                  const std::string& id, Failure unknown);
  [[nodiscard]] Result<Reply, Failure> take_found(const Call& call, const outbox::Finding& finding,
                                                  const std::string& answer);
  // Sends a write that has passed the guards.
  [[nodiscard]] Result<Reply, Failure> write(const Call& call, const Credential& credential);
  [[nodiscard]] Result<void, Failure> take_budget(const Call& call, const Credential& credential);
  // Takes the lane of the signer's nonces once no other process has a request of that signer in flight; exit 10 if that
  // takes too long.
  [[nodiscard]] Result<void, Failure> wait_for_lane(const Address& signer, std::int64_t patience_ms);
  [[nodiscard]] bool may_continue_without_files(const Call& call, const Failure& failure);
  [[nodiscard]] Result<Reply, Failure> call_until_known(const Call& call, const Credential& credential);
  [[nodiscard]] Result<std::optional<ActionSigner>, Failure> action_signer(const Call& call,
                                                                           const Credential& credential);
  // True for a write that reduces risk, and for the reads of such a command: they go on without anything they can do
  // without.
  [[nodiscard]] bool on_way_out(const Call& call) const;
  // True if the call is sent even if its action cannot be signed.
  [[nodiscard]] bool may_go_unsigned(const Call& call, const Credential& credential) const;
  [[nodiscard]] bool acts_for_another(const Credential& credential) const;
  // The account that a write with this credential changes; empty if not known here.
  [[nodiscard]] std::string sent_for(const Credential& credential) const;
  void tell_unsigned(const std::string& reason);
  // While the result exists, a signal that ends this process reports the write in flight and how to look it up.
  [[nodiscard]] std::shared_ptr<void> while_in_flight(const Call& call);
  [[nodiscard]] Result<void, Failure> sign_as_owner(Outgoing& outgoing, const Call& call, TimestampMs timestamp_ms);
  [[nodiscard]] Result<void, std::string> connect(std::int64_t timeout_ms);
  [[nodiscard]] Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request);
  // The timeout for an answer now; nullopt if it is too late to send anything.
  [[nodiscard]] std::optional<std::int64_t> answer_timeout_ms() const;
  // True if there is time for a pause and another request.
  [[nodiscard]] bool has_time_for(std::int64_t pause_ms) const;

  // How long to wait for the host's facts: with all retries; with one try; or briefly.
  enum class Asking : std::uint8_t { patiently, once, briefly };
  enum class HostStanding : std::uint8_t { proved, silent, unreachable, not_asked };
  [[nodiscard]] Result<HostStanding, Failure> identify_host(Asking how);
  [[nodiscard]] Result<const ServerFacts*, Failure> ask_host(Asking how);
  // Like facts(), but the way out does not fail without them.
  [[nodiscard]] Result<const ServerFacts*, Failure> facts_for(const Call& call);
  void keep_facts(ServerFacts facts);
  void continue_with(std::optional<ServerFacts> last, bool fresh);
  // Fails if this call may not go to the host. (D-635)
  [[nodiscard]] Result<void, Failure> admit_host(const Call& call, const Credential& credential);
  // Reports once a day that the server has announced the end of the version in use.
  void report_deprecation(const api::HttpRequest& request, const api::HttpResponse& response);
  // Adds the versions that the refusal names to the failure.
  void explain_version(Failure& failure, const api::HttpResponse& response);
  // If nobody listens at an address of this machine, adds how to start a sandbox.
  void explain_absence(Failure& failure) const;
  void charge(const Outgoing& outgoing, const api::HttpResponse* response);
  // Shows the destination and the account: always with -v, and before every write on real funds.
  void announce(const Call& call, const Credential& credential);

  Context* context_;
  const Network* network_;
  const Paths* paths_;
  std::unique_ptr<api::Transport> transport_;
  std::optional<WireLog> wire_log_;
  std::optional<ServerFacts> facts_;
  std::optional<HostStanding> host_;
  std::optional<Failure> unanswered_;  // why the host is unreachable
  bool host_confirmed_ = false;        // by the user, who knows which network it serves
  bool stream_host_checked_ = false;
  [[nodiscard]] Result<const Signer*, Failure> wallet_signer(const std::string& wallet);

  std::unique_ptr<Signer> wallet_signer_;
  std::optional<Failure> wallet_failure_;  // why the way out went without its signature; the password is asked for once
  bool confirmed_ = false;

  // Of the write in flight.
  std::optional<outbox::OpenEntry> entry_;
  std::optional<std::pair<outbox::OpenEntry, outbox::Outcome>> unwritten_outcome_;
  std::uint32_t sendings_ = 0;
  std::optional<int> doubted_status_;  // of a refusal that may have followed acceptance
  Json before_;
  const outbox::Entry* sought_ = nullptr;
  std::optional<FileLock> lane_;  // of the signer whose nonce the request carries
  std::map<std::string, std::uint32_t, std::less<>> asked_;
  bool settled_earlier_ = false;
  bool budget_opened_ = false;
  std::optional<budget::Budget> budget_;
  std::optional<TimestampMs> server_date_ms_;
  std::optional<std::int64_t> stop_at_uptime_ms_;
  std::int64_t transport_timeout_ms_ = 0;  // the timeout of the open transport
};

}  // namespace svc::cli
