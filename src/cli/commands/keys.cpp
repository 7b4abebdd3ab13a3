// keys create, list, delete

#include "api/contract/auth.h"
#include "cli/client/credentials.h"
#include "cli/commands/operation_command.h"
#include "cli/machine/private_file.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"

namespace svc::cli {
namespace {

// Those of the account's open session; none without one.
Rings rings_of_session(Context& context, const Network& network, const Address& account) {
  const auto sessions = load_sessions(**context.paths(), network.name, context.now_ms());
  const Session* session = sessions ? sessions->find(account) : nullptr;
  return session != nullptr ? session->rings : Rings{};
}

// Stores it for the account; the name under which it is stored.
Result<std::string, Failure> keep_key(Context& context, const ApiKeyRecord& record, const Secret& secret,
                                      const Rings& before) {
  const auto lock = SVC_TRY(lock_rings(**context.paths(), record.network, record.account));
  const Rings now = rings_of_session(context, **context.network(), record.account);
  if (now.empty() && before.empty()) return unexpected(internal_error("the session ended meanwhile"));
  // After a logout in the meantime the old ring is used, which the wallet opens.
  return store_api_key(**context.paths(), record, secret, now.empty() ? before.front() : now.front());
}

struct CreateKeyFlags {
  std::optional<std::string> label, secret_file, name;
  PlainWrite write;

  void declare(Arguments& arguments) {
    arguments.text("--label", label, "TEXT", "a name to remember the key by");
    arguments.text("--print-secret-to", secret_file, "FILE", "also write the secret to this new file, mode 0600");
    arguments.text("--store", name, "NAME", "keep it here under this name (default: its id)");
    arguments.no_field("--limit");
    write.declare(arguments, "the key works as soon as it is answered");
  }
};

Result<Answer, Failure> create_key(Context& context, const CreateKeyFlags& flags) {
  const auto& [label, secret_file, name, write] = flags;
  auto exchange = SVC_TRY(Exchange::open(context));
  const Network& network = exchange.network();
  // Checked before there is a key whose secret cannot be written.
  std::error_code ignored;
  if (secret_file && std::filesystem::exists(*secret_file, ignored)) {
    return unexpected(usage_error(*secret_file, " exists already; it is not overwritten"));
  }
  if (name) SVC_TRY(check_api_key_name(**context.paths(), network.name, *name));
  if (!context.globals().dry_run) SVC_TRY(check_room_for_key(**context.paths(), network.name));
  Call call = call_of<api::ops::CreateKey>({.label = label});
  if (!label) call.carry({});  // the body may be absent altogether
  call.look_up = {command_line(context, "keys list")};
  const auto credential = SVC_TRY(choose_credential(context, network, call));
  const Address account = credential.account.value_or(Address{});
  const Rings before = rings_of_session(context, network, account);
  const auto reply = SVC_TRY(exchange.call(call));
  const auto key_id = reply.body.string_at("key_id");
  const auto secret = reply.body.string_at("secret");
  if (!key_id || !secret) return unexpected(internal_error("the server's answer has no key_id and secret"));
  if (!signing::HmacKey::from_hex(*secret))
    return unexpected(internal_error("key ", *key_id, " was made, and its secret is not hex text, so it is of no use")
                          .to_try({command_line(context, "keys delete " + std::string(*key_id))}));
  const ApiKeyRecord record{.name = name.value_or(std::string(*key_id)),
                            .key_id = std::string(*key_id),
                            .network = network.name,
                            .account = account,
                            .label = label,
                            .created_at_ms = context.now_ms()};
  const Secret kept{std::string(*secret)};
  // Written first: it may be on another disk.
  const auto printed =
      secret_file ? write_new_given(*secret_file, std::string(*secret) + "\n") : Result<void, Failure>();
  const auto stored = keep_key(context, record, kept, before);
  if (!stored) {
    Failure why = stored.error();
    why.message = "key " + record.key_id + " was made, but its secret " +
                  (printed && secret_file ? "is in " + *secret_file + " alone: " : "could not be kept: ") + why.message;
    why.details = Json::object({{"key_id", record.key_id}});
    return unexpected(std::move(why).to_try({command_line(context, "keys delete " + record.key_id)}));
  }
  if (!printed)
    return unexpected(
        failed(ExitCode::internal, printed.error().code, "key ", record.key_id,
               " was made and is stored here, but its secret could not be written for you: ", printed.error().message)
            .to_try({command_line(context, "keys list"), command_line(context, "keys delete " + record.key_id)}));
  return Answer{.data = Json::object({{"key_id", record.key_id},
                                      {"network", network.name},
                                      {"account", to_string(record.account)},
                                      {"limit", reply.body.value_at("limit")},
                                      {"label", label},
                                      {"stored_as", "keys/" + network.name + "/api/" + *stored + ".json"}})};
}

// The server's keys, with what is stored here of them.
Result<void, Failure> add_stored_keys(Context& context, Answer& answer, const Given& given) {
  const auto network = context.network();
  const ApiKeys kept = network ? list_api_keys(**context.paths(), (*network)->name) : ApiKeys{};
  context.notices(kept.unreadable);
  answer.rows = Json::list(answer.data.items(), [&](Json row) {
    const ApiKeyRecord* record = nullptr;  // the latest
    for (const ApiKeyRecord& one : kept.records)
      if (row.string_at("key_id").value_or("") == one.key_id) record = &one;
    row.set("here", record != nullptr);
    if (record != nullptr) row.set("stored_as", record->name).set("created_at_ms", record->created_at_ms);
    return row;
  });
  if (!given.contains("--all-local")) return {};
  for (const ApiKeyRecord& record : kept.records) {
    const auto is_it = [&](const Json& row) { return row.string_at("key_id") == std::string_view(record.key_id); };
    if (std::ranges::any_of(answer.rows->items(), is_it)) continue;
    answer.rows->push(Json::object({{"key_id", record.key_id},
                                    {"label", record.label},
                                    {"created_at_ms", record.created_at_ms},
                                    {"here", "only here"},
                                    {"stored_as", record.name}}));
  }
  return {};
}

Answer deleted_key(const std::string& key_id, const std::string& network, bool on_server, bool here) {
  return {.data =
              Json::object({{"key_id", key_id}, {"network", network}, {"deleted", on_server}, {"forgotten", here}})};
}

// Of this machine; the server is not asked.
Result<Answer, Failure> forget_key(Context& context, const std::string& key) {
  const auto [name, paths] = SVC_TRY(context.network_files());
  if (context.globals().dry_run)
    return unexpected(planned("forget_key", Json::object({{"key_id", key}, {"network", name.text}})));
  const auto record = find_api_key(*paths, name.text, key);
  if (!record) {
    // A file that cannot be read may be the one that is meant.
    const ApiKeys keys = list_api_keys(*paths, name.text);
    if (!keys.unreadable.empty()) return unexpected(keys.unreadable.front());
    return unexpected(absent("key_not_found", "API key ", key, " is not kept here for network ", name.text));
  }
  SVC_TRY(forget_api_key(*paths, *record));
  return deleted_key(record->key_id, name.text, false, true);
}

Result<Answer, Failure> delete_key(Context& context, std::string key, bool forget, const PlainWrite& write) {
  if (forget) return forget_key(context, key);
  auto exchange = SVC_TRY(Exchange::open(context));
  const std::string& network = exchange.network().name;
  const auto record = find_api_key(**context.paths(), network, key);
  if (record) key = record->key_id;
  Call call = call_of<api::ops::DeleteKey>({.key_id = key});
  call.direction = Direction::way_out;
  if (record) call.account = record->account;
  call.look_up = {command_line(context, "keys list")};
  const auto sent = write.send(context, exchange, call);
  // A key that the service does not know is of no use here.
  const bool is_unknown = !sent && sent.error().exit == ExitCode::not_found;
  bool gone = false;
  if (record && (sent || is_unknown)) {
    const auto forgotten = forget_api_key(**context.paths(), *record);
    gone = forgotten && *forgotten;
    if (!forgotten) context.notice("key_file", forgotten.error().message);
  }
  if (is_unknown && gone)
    context.notice("key_forgotten", "the service has no API key " + key + "; it is forgotten here");
  SVC_TRY(sent);
  return deleted_key(key, network, true, gone);
}

}  // namespace

std::vector<CommandRow> keys_commands() {
  using api::ApiKeyInfo;
  return {
      {"keys create", "", "Create an API key and keep it here", calls(create_key)},
      {"keys list", "", "List the API keys of the server",
       operation<api::ops::ListKeys>(
           {.arguments = {own_flag("--all-local", "also keys kept here that the server does not list")},
            .columns = columns<ApiKeyInfo>("key_id label created@+created_at_ms tier +here +stored_as"),
            .then = add_stored_keys})},
      {"keys delete", "KEY_ID", "Delete an API key",
       calls(delete_key, {{"KEY_ID", "key to delete on the server, or its name here"},
                          {"--forget", "only forget the copy kept here; the server is not asked"}})},
  };
}

}  // namespace svc::cli
