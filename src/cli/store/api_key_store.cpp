#include "cli/store/api_key_store.h"

#include "base/encoding.h"
#include "cli/store/kept_document.h"

namespace svc::cli {
namespace {

constexpr std::int64_t key_file_version = 1;
constexpr std::size_t key_file_bytes = 4'096;  // room for one, with the longest label
constexpr int same_names_max = 10'000;
constexpr std::size_t rings_max = 16;

// Key ids come from a server; as part of a file name they must not be able to reach another file.
bool is_file_safe(std::string_view key_id) {
  constexpr std::size_t chars_max = 128;
  return is_plain_word(key_id, chars_max);
}

std::filesystem::path key_file_of(const Paths& paths, std::string_view network, std::string_view name) {
  return document_in(paths.api_keys(network), name);
}

std::filesystem::path ring_file(const Paths& paths, std::string_view network, const Address& account) {
  return document_in(paths.keys(network) / "rings", to_string(account));
}

Failure damaged(const std::filesystem::path& file) {
  return failed(key_file_damaged_code, "the file ", file.string(),
                " is damaged, or was made for another key or network");
}

Failure damaged_key(const std::filesystem::path& file, std::string_view network) {
  return damaged(file).to_try({concat("svc -n ", network, " keys create"), "rm " + file.string()});
}

Failure damaged_rings(const std::filesystem::path& file, std::string_view network) {
  Failure failure = damaged(file);
  failure.message += "; without it the wallet can log in, and needs new API keys: nothing opens those kept here";
  return std::move(failure).to_try({"rm " + file.string(), concat("svc -n ", network, " login")});
}

Json sealed(std::string_view plain, const signing::SealKey& key) {
  return *parse_json(signing::seal(as_bytes(plain), key, signing::fresh_seal_entropy()));
}

// Network and id are sealed together with the secret, so that a file copied elsewhere does not open as another key.
std::string text_of(const ApiKeyRecord& record, const Secret& secret, const signing::SealKey& ring) {
  const Secret plain(
      Json::object({{"network", record.network}, {"key_id", record.key_id}, {"secret", secret.reveal()}}).dump());
  Json document = sealed(plain.reveal(), ring);
  document.set("svc", Json::object({{"version", key_file_version},
                                    {"kind", "hmac"},
                                    {"key_id", record.key_id},
                                    {"network", record.network},
                                    {"account", to_string(record.account)},
                                    {"label", record.label},
                                    {"created_at_ms", record.created_at_ms}}));
  return document.dump() + "\n";
}

bool is_damaged(const Failure& why) {
  return why.code == key_file_damaged_code;
}

// Seals the same secret under the newest ring key; one that no ring key opens is left as it is. False if the file could
// not be read now: an older ring key may open it.
Result<bool> reseal(const Paths& paths, const ApiKeyRecord& record, const Rings& rings) {
  const auto secret = open_api_key(paths, record, rings);
  if (!secret) return is_damaged(secret.error());
  SVC_TRY(write_private(key_file_of(paths, record.network, record.name), text_of(record, *secret, rings.front())));
  return true;
}

// nullopt if there is no such file.
Result<std::optional<ApiKeyRecord>> read_record(const Paths& paths, std::string_view network, const std::string& name) {
  const std::filesystem::path file = key_file_of(paths, network, name);
  const auto text = SVC_TRY(read_private(file));
  if (!text) return std::optional<ApiKeyRecord>{};
  const Json document = json_or_null(*text).value_at("svc");
  const auto account = document.address_at("account");
  const auto key_id = document.string_at("key_id");
  if (document.integer_at("version") != key_file_version || !account || !key_id ||
      document.string_at("network") != network)
    return unexpected(damaged_key(file, network));
  ApiKeyRecord record{.name = name,
                      .key_id = std::string(*key_id),
                      .network = std::string(network),
                      .account = *account,
                      .label = std::optional<std::string>(document.string_at("label")),
                      .created_at_ms = document.integer_at("created_at_ms").value_or(0)};
  return std::optional(std::move(record));
}

constexpr std::int64_t agent_file_version = 1;

KeptDocument agent_document(const Paths& paths, std::string_view network, const Address& address) {
  return {document_in(paths.keys(network) / "agents", to_string(address)), agent_file_version};
}

// nullopt if there is no such file, or none of this version.
Result<std::optional<AgentRecord>> read_agent(const std::filesystem::path& file) {
  using None = std::optional<AgentRecord>;
  const auto text = SVC_TRY(read_private(file));
  const Json document = json_or_null(text.value_or(""));
  const auto address = document.address_at("address");
  if (document.integer_at("version") != agent_file_version || !address) return None();
  return None(AgentRecord{.address = *address,
                          .wallet = document.text_at("wallet"),
                          .account = document.address_at("account"),
                          .expires_at_ms = document.integer_at("expires_at_ms"),
                          .lifetime_ms = document.integer_at("lifetime_ms")});
}

}  // namespace

Result<FileLock> lock_rings(const Paths& paths, std::string_view network, const Address& account) {
  return lock_beside(ring_file(paths, network, account));
}

Result<Rings> open_rings(const Paths& paths, std::string_view network, const Signer& wallet) {
  const std::filesystem::path file = ring_file(paths, network, wallet.address());
  const auto text = SVC_TRY(read_private(file));
  if (!text) return Rings{};
  const auto key = SVC_TRY(wallet.ring_seal(network));
  const auto opened = signing::open(*text, key);
  if (!opened) return unexpected(damaged_rings(file, network));
  // One per line.
  Rings rings;
  for (std::string_view left = opened->reveal(); !left.empty();) {
    const auto ring = from_hex_exact<32>(take_line(left));
    if (!ring) return unexpected(damaged_rings(file, network));
    rings.emplace_back(*ring);
  }
  return rings;
}

Result<void> renew_rings(const Paths& paths, std::string_view network, const Signer& wallet,
                         const Environment& environment, const std::function<Result<void>(const Rings&)>& keep) {
  const Address account = wallet.address();
  const auto lock = SVC_TRY(lock_rings(paths, network, account));
  auto rings = SVC_TRY(open_rings(paths, network, wallet));
  const auto key = SVC_TRY(wallet.ring_seal(network));
  const auto keep_both = [&](const Rings& all) -> Result<void> {
    const Secret text(joined(
        all, [](const signing::SealKey& ring) { return to_hex(ring); }, "\n"));
    SVC_TRY(write_private(ring_file(paths, network, account), sealed(text.reveal(), key).dump() + "\n"));
    return keep(all);
  };
  // If renewals keep failing, for example on a full disk, the newest ring key is used until one succeeds.
  if (rings.size() < rings_max) {
    signing::SealKey ring;
    environment.random(ring);
    rings.insert(rings.begin(), ring);
  }
  SVC_TRY(keep_both(rings));
  const ApiKeys keys = list_api_keys(paths, network);
  bool all_read = true;
  for (const ApiKeyRecord& record : keys.records)
    if (record.account == account) all_read = SVC_TRY(reseal(paths, record, rings)) && all_read;
  // A file that cannot be read now may hold a key of this account, sealed under an older ring key. Of a damaged one
  // nothing is left to open.
  if (!all_read || !std::ranges::all_of(keys.unreadable, is_damaged)) return {};
  rings.resize(1);
  return keep_both(rings);
}

Result<void> check_api_key_name(const Paths& paths, std::string_view network, const std::string& name) {
  if (!is_file_safe(name) || name.front() == '-') {
    return usage_error("\"", name, "\" is not a usable name for an API key: letters, digits, - and _, no - first");
  }
  if (!is_taken(key_file_of(paths, network, name))) return {};
  return failed("key_exists", "a key is kept as ", name, " already")
      .to_try({concat("svc -n ", network, " keys list --all-local")});
}

Result<void> check_room_for_key(const Paths& paths, std::string_view network) {
  const auto probe = paths.api_keys(network) / ".room";
  SVC_TRY(write_private(probe, std::string(key_file_bytes, ' ')));
  SVC_TRY(remove_private(probe));
  return {};
}

Result<std::string> store_api_key(const Paths& paths, const ApiKeyRecord& record, const Secret& secret,
                                  const signing::SealKey& ring) {
  const std::string text = text_of(record, secret, ring), wanted = is_file_safe(record.name) ? record.name : "key";
  std::string name = wanted;
  for (int number = 2; number <= same_names_max; ++number) {
    const auto written = SVC_TRY(write_new_private(key_file_of(paths, record.network, name), text));
    if (written) return name;
    name = wanted + "-" + std::to_string(number);
  }
  return internal_error("too many keys are kept as " + wanted);
}

ApiKeys list_api_keys(const Paths& paths, std::string_view network) {
  ApiKeys keys;
  const auto names = list_documents(paths.api_keys(network));
  if (!names) keys.unreadable.push_back(names.error());
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    auto record = read_record(paths, network, name);
    if (!record) keys.unreadable.push_back(record.error());
    if (record && *record) keys.records.push_back(std::move(**record));
  }
  std::ranges::stable_sort(keys.records, {}, &ApiKeyRecord::created_at_ms);
  return keys;
}

Result<Secret> open_api_key(const Paths& paths, const ApiKeyRecord& record, const Rings& rings) {
  const std::filesystem::path file = key_file_of(paths, record.network, record.name);
  const auto text = SVC_TRY(read_private(file));
  if (!text) return failed(file_error_code, "the file ", file.string(), " is gone");
  for (const signing::SealKey& ring : rings) {
    const auto opened = signing::open(*text, ring);
    const Json plain = opened ? json_or_null(opened->reveal()) : Json();
    if (plain.string_at("network") == record.network && plain.string_at("key_id") == record.key_id)
      return Secret(plain.text_at("secret"));
  }
  return unexpected(damaged_key(file, record.network));
}

std::optional<ApiKeyRecord> find_api_key(const Paths& paths, std::string_view network, std::string_view name_or_id) {
  auto records = list_api_keys(paths, network).records;
  const auto found = std::find_if(records.rbegin(), records.rend(), [&](const ApiKeyRecord& record) {
    return record.name == name_or_id || record.key_id == name_or_id;
  });
  return found == records.rend() ? std::nullopt : std::optional(std::move(*found));
}

Result<bool> forget_api_key(const Paths& paths, const ApiKeyRecord& record) {
  return remove_private(key_file_of(paths, record.network, record.name));
}

Result<std::vector<AgentRecord>> list_agents(const Paths& paths, std::string_view network) {
  std::vector<AgentRecord> records;
  const auto folder = paths.keys(network) / "agents";
  for (const std::string& name : SVC_TRY(list_documents(folder)))
    if (auto record = SVC_TRY(read_agent(document_in(folder, name)))) records.push_back(std::move(*record));
  return records;
}

Result<std::optional<AgentRecord>> find_agent(const Paths& paths, std::string_view network, const Address& address) {
  return read_agent(agent_document(paths, network, address).file());
}

Result<void> store_agent(const Paths& paths, std::string_view network, const AgentRecord& record) {
  return agent_document(paths, network, record.address)
      .write(Json::object({{"address", to_string(record.address)},
                           {"wallet", record.wallet},
                           {"account", record.account},
                           {"expires_at_ms", record.expires_at_ms},
                           {"lifetime_ms", record.lifetime_ms}}));
}

Result<bool> forget_agent(const Paths& paths, std::string_view network, const Address& address) {
  return remove_private(agent_document(paths, network, address).file());
}

}  // namespace svc::cli
