#include "cli/secrets/api_key_store.h"

#include <algorithm>

#include "base/hex.h"
#include "cli/files/private_file.h"
#include "cli/json.h"
#include "signing/entropy.h"
#include "signing/hmac.h"

namespace svc::cli {
namespace {

constexpr std::int64_t key_file_version = 1;
constexpr std::string_view key_suffix = ".json";

// Key ids come from a server; what names a file must not be able to name another one.
bool is_file_safe(std::string_view key_id) {
  constexpr std::size_t chars_max = 128;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !key_id.empty() && key_id.size() <= chars_max && std::all_of(key_id.begin(), key_id.end(), allowed);
}

std::filesystem::path key_file_of(const Paths& paths, std::string_view network, std::string_view name) {
  return paths.api_keys(network) / (std::string(name) + std::string(key_suffix));
}

std::filesystem::path ring_file(const Paths& paths, std::string_view network, const Address& account) {
  return paths.keys(network) / "rings" / (to_string(account) + std::string(key_suffix));
}

Failure damaged(const std::filesystem::path& file) {
  return {.exit = ExitCode::authentication,
          .code = "key_file_damaged",
          .message = "the file " + file.string() + " is damaged, or was made for another key or network"};
}

// Sealed text with members of ours beside it.
Json sealed(std::string_view plain, const signing::SealKey& key) {
  auto document = parse_json(signing::seal(as_bytes(plain), key, signing::fresh_seal_entropy()));
  SVC_ASSERT(document.has_value());
  return std::move(*document);
}

}  // namespace

Result<signing::SealKey, Failure> open_ring(const Paths& paths, std::string_view network, const Signer& wallet,
                                            const Environment& environment) {
  const auto seal = wallet.ring_seal(network);
  if (!seal) return unexpected(seal.error());
  const signing::SealKey wallet_key = *seal;
  const std::filesystem::path file = ring_file(paths, network, wallet.address());
  const auto text = read_private(file);
  if (!text) return unexpected(text.error());
  if (*text) {
    const auto opened = signing::open(**text, wallet_key);
    const auto ring = from_hex_exact<32>(opened ? opened->reveal() : std::string_view{});
    if (!ring) return unexpected(damaged(file));
    return *ring;
  }
  signing::SealKey ring{};
  environment.random(ring);
  const std::string document = sealed(to_hex(ring), wallet_key).dump() + "\n";
  if (const auto written = write_private(file, document); !written) return unexpected(written.error());
  return ring;
}

Result<void, Failure> check_api_key_name(const Paths& paths, std::string_view network, const std::string& name) {
  if (!is_file_safe(name) || name.front() == '-') {
    return unexpected(usage_error("\"" + name + "\" is no name for a key: letters, digits, - and _"));
  }
  const auto taken = find_api_key(paths, network, name);
  if (!taken) return unexpected(taken.error());
  if (!*taken) return {};
  return unexpected(Failure{.exit = ExitCode::conflict,
                            .code = "key_exists",
                            .message = "a key is kept as " + name + " already: " + (*taken)->key_id,
                            .actions = {"svc -n " + std::string(network) + " keys list --all-local"}});
}

Result<void, Failure> store_api_key(const Paths& paths, const ApiKeyRecord& record, const Secret& secret,
                                    const signing::SealKey& ring) {
  if (!is_file_safe(record.name)) {
    return unexpected(internal_error("the server sent a key id that cannot name a file; the key was not stored"));
  }
  // Network and id are sealed in with the secret, so that a file put elsewhere does not open as another.
  const std::string plain =
      Json::object({{"network", record.network}, {"key_id", record.key_id}, {"secret", secret.reveal()}}).dump();
  Json document = sealed(plain, ring);
  document.set("svc", Json::object({{"version", key_file_version},
                                    {"kind", "hmac"},
                                    {"key_id", record.key_id},
                                    {"network", record.network},
                                    {"account", to_string(record.account)},
                                    {"label", record.label},
                                    {"created_at_ms", record.created_at_ms}}));
  return write_private(key_file_of(paths, record.network, record.name), document.dump() + "\n");
}

Result<std::vector<ApiKeyRecord>, Failure> list_api_keys(const Paths& paths, std::string_view network) {
  std::vector<ApiKeyRecord> records;
  for (const std::string& name : list_private(paths.api_keys(network))) {
    if (!name.ends_with(key_suffix)) continue;
    const std::filesystem::path file = paths.api_keys(network) / name;
    const auto text = read_private(file);
    if (!text) return unexpected(text.error());
    if (!*text) continue;
    const auto document = parse_json(**text);
    if (!document || document->integer_at("svc.version") != key_file_version) return unexpected(damaged(file));
    const auto account = parse_address(document->string_at("svc.account").value_or(""));
    const auto key_id = document->string_at("svc.key_id");
    if (!account || !key_id || document->string_at("svc.network") != network) return unexpected(damaged(file));
    ApiKeyRecord record{.name = name.substr(0, name.size() - key_suffix.size()),
                        .key_id = std::string(*key_id),
                        .network = std::string(network),
                        .account = *account,
                        .label = {},
                        .created_at_ms = document->integer_at("svc.created_at_ms").value_or(0)};
    if (const auto label = document->string_at("svc.label")) record.label = std::string(*label);
    records.push_back(std::move(record));
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const ApiKeyRecord& a, const ApiKeyRecord& b) { return a.created_at_ms < b.created_at_ms; });
  return records;
}

Result<Secret, Failure> open_api_key(const Paths& paths, const ApiKeyRecord& record, const signing::SealKey& ring) {
  const std::filesystem::path file = key_file_of(paths, record.network, record.name);
  const auto text = read_private(file);
  if (!text) return unexpected(text.error());
  if (!*text) return unexpected(damaged(file));
  const auto opened = signing::open(**text, ring);
  const auto plain = opened ? parse_json(opened->reveal()) : Result<Json, std::string>(unexpected(std::string()));
  if (!plain || plain->string_at("network") != record.network || plain->string_at("key_id") != record.key_id) {
    return unexpected(damaged(file));
  }
  return Secret(std::string(plain->string_at("secret").value_or("")));
}

Result<std::optional<ApiKeyRecord>, Failure> find_api_key(const Paths& paths, std::string_view network,
                                                          std::string_view name_or_id) {
  auto records = list_api_keys(paths, network);
  if (!records) return unexpected(records.error());
  for (ApiKeyRecord& record : *records) {
    if (record.name == name_or_id || record.key_id == name_or_id) return std::optional(std::move(record));
  }
  return std::optional<ApiKeyRecord>{};
}

Result<bool, Failure> forget_api_key(const Paths& paths, const ApiKeyRecord& record) {
  return remove_private(key_file_of(paths, record.network, record.name));
}

}  // namespace svc::cli
