// GET /metadata: versions, the serving network, and the map of networks with their targets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/record.h"
#include "api/values.h"

namespace svc::api {

enum class FundsClass : std::uint8_t { play, real };
inline constexpr std::string_view funds_class_texts[] = {"play", "real"};
constexpr EnumNames enum_names(FundsClass) {
  return {"FundsClass", funds_class_texts};
}

// A null chain id means: refuse to sign.
struct SigningDomainInfo {
  std::string name{};
  std::string version = "1";
  std::optional<std::uint64_t> chain_id{};
  std::optional<std::string> salt{};

  static constexpr FieldInfo fields[] = {
      field<&SigningDomainInfo::name>("name", "Display name inside the EIP-712 domain"),
      field<&SigningDomainInfo::version>("version", "Domain version"),
      field<&SigningDomainInfo::chain_id>("chain_id", "Null: not known, so refuse to sign"),
      field<&SigningDomainInfo::salt>("salt", "keccak-256 of the network's name, 0x hex").omit_when_empty()};
};

struct NetworkTarget {
  std::string network{};
  std::string label{};
  FundsClass funds = FundsClass::play;
  bool faucet = false;
  std::string host{};
  std::string rest_base{};
  std::string ws_url{};
  std::string ws_market_data_url{};
  std::string ws_authenticated_url{};
  SigningDomainInfo signing_domain{};
  std::optional<std::string> description{};

  static constexpr FieldInfo fields[] = {
      field<&NetworkTarget::network>("network", "testnet, mainnet or local").defaulted(),
      field<&NetworkTarget::label>("label", "For people"),
      field<&NetworkTarget::funds>("funds", "play or real"),
      field<&NetworkTarget::faucet>("faucet", "Whether the faucet operations are served"),
      field<&NetworkTarget::host>("host", "Host, with its port if there is one"),
      field<&NetworkTarget::rest_base>("rest_base", "REST base"),
      field<&NetworkTarget::ws_url>("ws_url", "WebSocket base"),
      field<&NetworkTarget::ws_market_data_url>("ws_market_data_url", "Public stream"),
      field<&NetworkTarget::ws_authenticated_url>("ws_authenticated_url", "Account stream"),
      field<&NetworkTarget::signing_domain>("signing_domain", "Registration domain; not that of actions"),
      field<&NetworkTarget::description>("description", "One sentence").omit_when_empty()};
};

struct ApiVersionInfo {
  std::string header{};
  std::string min_supported{};
  std::string current{};
  std::optional<std::string> deprecated_below{};
  std::optional<std::string> sunset{};
  std::string spec_url{};
  std::string docs_url{};
  std::string policy{};

  static constexpr FieldInfo fields[] = {
      field<&ApiVersionInfo::header>("header", "Request header that carries the client's version"),
      field<&ApiVersionInfo::min_supported>("min_supported", "Oldest version accepted"),
      field<&ApiVersionInfo::current>("current", "Latest version served"),
      field<&ApiVersionInfo::deprecated_below>("deprecated_below", "Older ones are announced to end"),
      field<&ApiVersionInfo::sunset>("sunset", "When they end"),
      field<&ApiVersionInfo::spec_url>("spec_url", "The interface description"),
      field<&ApiVersionInfo::docs_url>("docs_url", "The guidance"),
      field<&ApiVersionInfo::policy>("policy", "The support window, in words")};
};

// Only the two versions are always present; an older edge omits the rest.
struct Metadata {
  std::string current_api_version{};
  std::string min_api_version{};
  std::optional<ApiVersionInfo> api_version{};
  std::optional<std::string> network{};
  std::optional<std::string> deployment{};
  std::optional<std::string> domain_name_owner{};
  std::optional<std::string> ws_url{};
  std::optional<SigningDomainInfo> signing_domain{};
  std::optional<std::map<std::string, NetworkTarget>> networks{};

  static constexpr FieldInfo fields[] = {
      field<&Metadata::current_api_version>("current_api_version", "Latest version served"),
      field<&Metadata::min_api_version>("min_api_version", "Oldest version accepted"),
      field<&Metadata::api_version>("api_version", "Versions in detail").omit_when_empty(),
      field<&Metadata::network>("network", "The serving network").omit_when_empty(),
      field<&Metadata::deployment>("deployment", "Text that actions sign as `domain`").omit_when_empty(),
      field<&Metadata::domain_name_owner>("domain_name_owner",
                                          "Where several networks have one domain name: the only one that takes "
                                          "logins, withdrawals and unsalted registrations under it")
          .omit_when_empty(),
      field<&Metadata::ws_url>("ws_url", "WebSocket base").omit_when_empty(),
      field<&Metadata::signing_domain>("signing_domain", "Registration domain of the serving network")
          .omit_when_empty(),
      field<&Metadata::networks>("networks", "Targets by network").omit_when_empty()};
};

// The extension `x-svc-networks` of the interface description.
struct NetworkMap {
  std::string description{};
  std::map<std::string, NetworkTarget> networks{};
  std::string signing_domain_note{};

  static constexpr FieldInfo fields[] = {
      field<&NetworkMap::description>("description", "What the map is for"),
      field<&NetworkMap::networks>("networks", "Targets by network"),
      field<&NetworkMap::signing_domain_note>("signing_domain_note", "Which signatures use these domains")};
};

}  // namespace svc::api
