// A whole sandbox and two people who use every operation of it: the state in which each operation of the
// table has something to tell, and a request for each that it answers with success.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "api/operation_list.h"
#include "contract/sandbox_site.h"
#include "contract/signing_client.h"
#include "signing/hash.h"

namespace svc::contract {

class RealVenue {
 public:
  // A multiplier of 0 switches rate limits off.
  explicit RealVenue(Site site = Site::memory, std::uint32_t limits_multiplier = 0);

  // A request that succeeds, signed and ready, with whatever has to be there before it. May be called again.
  [[nodiscard]] api::HttpRequest request_for(const api::OperationEntry& entry, bool twin);

  // Any request to the operation, signed as it stands by somebody who may: with a key, a session or the operator's
  // secret. What only a wallet could sign has no signature.
  [[nodiscard]] api::HttpRequest signed_as_it_stands(const api::Operation& operation, api::HttpRequest request) const;

  [[nodiscard]] api::HttpResponse send(api::HttpRequest request);
  // Sends it to every node at once. The answers are in the order of the nodes.
  [[nodiscard]] std::vector<api::HttpResponse> send_to_all(const api::HttpRequest& request);
  // Orders of Alice. Each call takes a new nonce or a new client id.
  [[nodiscard]] api::HttpRequest order_with_action();
  [[nodiscard]] api::HttpRequest order_with_client_id();
  // Whether the upgrade is accepted.
  [[nodiscard]] bool opens_stream(const api::HttpRequest& request);
  // POST /_svc..., which must succeed.
  nlohmann::json control(std::string_view path, const nlohmann::json& body);
  // What each node has for itself.
  [[nodiscard]] std::vector<nlohmann::json> look_everywhere(std::string_view path);

 private:
  using Json = nlohmann::json;
  struct Wanted {
    std::string path_value = {};  // of the parameter in the path
    std::string query = {};
    Json body = {};
    api::Headers headers = {};
  };

  void trade();
  Participant admit(std::size_t index, char agent_digit);
  // Signed by whoever the operation wants, and it must succeed.
  Json call(std::string_view operation, const Participant& who, const Wanted& wanted);
  // Beyond sample_request(), for the operations that refuse that in this venue.
  [[nodiscard]] Wanted wanted_for(const api::Operation& operation);
  [[nodiscard]] api::HttpRequest build(const api::OperationEntry& entry, bool twin, const Wanted& wanted,
                                       const Participant& who);
  [[nodiscard]] api::HttpRequest with_owner(api::HttpRequest request, const Participant& who,
                                            const api::Operation& operation);
  [[nodiscard]] std::string action_signature(const Participant& who, const signing::Hash32& struct_hash) const;
  [[nodiscard]] Json order(std::string_view side, std::string_view quantity, std::string_view price) const;
  std::string resting_order();
  std::uint64_t next_nonce() { return ++nonce_; }

  SandboxSite sandbox_;
  SigningClient client_{sandbox_.clock()};
  std::uint64_t nonce_ = 0;
  Participant alice_;
  Participant bob_;
  Participant carol_;  // has money and nothing else, so that she may pay
};

}  // namespace svc::contract
