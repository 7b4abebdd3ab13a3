// A conversation with one network: chooses the credential, signs, records, sends, waits and explains.
//
// Promises
//   - Nothing is sent twice unless it is proven that the first did not count: a read, or a 429.
//   - A write is in the journal, on disk, before its first byte leaves.
//   - --dry-run opens no connection.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "cli/context.h"
#include "cli/exchange/call.h"
#include "cli/exchange/credentials.h"
#include "cli/exchange/outgoing.h"
#include "cli/exchange/server_facts.h"
#include "cli/exchange/wallet_signer.h"

namespace svc::cli {

class Exchange {
 public:
  // Resolves the network. No connection is made before something is sent.
  [[nodiscard]] static Result<Exchange, Failure> open(Context& context);

  // A success of the operation; anything else is why it is not one.
  [[nodiscard]] Result<Reply, Stop> call(const Call& call);

  // What the server says of itself: cached, or asked for now. In a dry run what is cached, however old.
  [[nodiscard]] Result<const ServerFacts*, Stop> facts();

  // Asks now, whatever is cached. Not in a dry run.
  [[nodiscard]] Result<const ServerFacts*, Stop> fresh_facts();

  // Whoever signs with the wallet itself: structs of owners, registrations, withdrawals. Asks for the password if it is
  // not given; exit 14 where the network's domain or deployment is not known.
  struct Owner {
    Address account;
    const signing::PrivateKey* key;  // valid as long as this exchange
    SigningTerms terms;
  };
  [[nodiscard]] Result<Owner, Stop> owner();
  // Of what that wallet signs next; a dry run takes none.
  [[nodiscard]] Result<std::uint64_t, Stop> next_nonce(const Address& signer);

  [[nodiscard]] const Network& network() const { return *network_; }

 private:
  Exchange(Context& context, const Network& network, const Paths& paths)
      : context_(&context), network_(&network), paths_(&paths) {}

  struct Attempt;

  [[nodiscard]] Result<Reply, Stop> attempt(const Call& call, const Credential& credential);
  [[nodiscard]] Result<std::optional<ActionSigner>, Stop> action_signer(const Call& call, const Credential& credential);
  [[nodiscard]] Result<void, Stop> sign_as_owner(Outgoing& outgoing, const Call& call, TimestampMs timestamp_ms);
  [[nodiscard]] Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request);
  void charge(const Outgoing& outgoing, const api::HttpResponse* response);
  // Where this goes and for whom: with -v always, and before every write on real funds.
  void announce(const Call& call, const Credential& credential);

  Context* context_;
  const Network* network_;
  const Paths* paths_;
  std::unique_ptr<api::Transport> transport_;
  std::optional<ServerFacts> facts_;
  [[nodiscard]] Result<const signing::PrivateKey*, Failure> wallet_key(const std::string& wallet);

  std::optional<signing::PrivateKey> wallet_key_;
  bool confirmed_ = false;
};

}  // namespace svc::cli
