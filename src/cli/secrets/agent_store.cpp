#include "cli/secrets/agent_store.h"

#include "cli/files/private_file.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

constexpr std::int64_t agent_file_version = 1;

std::filesystem::path folder_of(const Paths& paths, std::string_view network) {
  return paths.keys(network) / "agents";
}

std::filesystem::path agent_file_of(const Paths& paths, std::string_view network, const Address& address) {
  return folder_of(paths, network) / (to_string(address) + ".json");
}

}  // namespace

Result<std::vector<AgentRecord>, Failure> list_agents(const Paths& paths, std::string_view network) {
  std::vector<AgentRecord> records;
  const auto folder = folder_of(paths, network);
  for (const std::string& name : list_private(folder)) {
    const auto text = SVC_TRY(read_private(folder / name));
    const auto document = text ? parse_json(*text) : Result<Json, std::string>(Json());
    if (!document || document->integer_at("version") != agent_file_version) continue;
    const auto address = parse_address(document->string_at("address").value_or(""));
    if (!address) continue;
    records.push_back({.address = *address,
                       .wallet = std::string(document->string_at("wallet").value_or("")),
                       .account = parse_address(document->string_at("account").value_or("")),
                       .expires_at_ms = document->integer_at("expires_at_ms"),
                       .lifetime_ms = document->integer_at("lifetime_ms")});
  }
  return records;
}

Result<void, Failure> store_agent(const Paths& paths, std::string_view network, const AgentRecord& record) {
  const Json document = Json::object({{"version", agent_file_version},
                                      {"address", to_string(record.address)},
                                      {"wallet", record.wallet},
                                      {"account", record.account ? Json(to_string(*record.account)) : Json()},
                                      {"expires_at_ms", record.expires_at_ms},
                                      {"lifetime_ms", record.lifetime_ms}});
  return write_private(agent_file_of(paths, network, record.address), document.dump() + "\n");
}

Result<bool, Failure> forget_agent(const Paths& paths, std::string_view network, const Address& address) {
  return remove_private(agent_file_of(paths, network, address));
}

}  // namespace svc::cli
