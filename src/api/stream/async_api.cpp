#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "api/contract/streams.h"
#include "api/openapi.h"
#include "api/stream/stream_message.h"
#include "base/json_text.h"

namespace svc::api {
namespace {

struct Message {
  std::string name;
  std::string summary;
  std::string schema;
  bool from_client = false;
};

// Client frames may have members that are not named.
constexpr SchemaOptions frame_options(Direction direction) {
  return {.direction = direction, .reference_prefix = {}, .is_closed = false};
}

// The member by which frames are told apart has one of these words.
void write_kind(JsonWriter& json, const TypeInfo& type, std::initializer_list<std::string_view> words) {
  const auto is_kind = [](const FieldInfo& field) { return field.name == "op" || field.name == "type"; };
  const auto kind = std::ranges::find_if(type.fields, is_kind);
  if (kind == type.fields.end()) return;
  json.key(kind->name).begin_object().key("enum").begin_array();
  for (const std::string_view word : words) json.text(word);
  json.end_array().end_object();
}

// `words`: the values that the frame's `op` or `type` may have; if none are given, `name` is the only one.
template <class Frame>
Message message(std::string_view name, std::string_view summary, Direction direction = Direction::response,
                std::initializer_list<std::string_view> words = {}) {
  std::string schema;
  JsonWriter json(schema);
  json.begin_object().key("allOf").begin_array().raw(schema_of<Frame>(frame_options(direction)));
  json.begin_object().key("properties").begin_object();
  write_kind(json, type_of<Frame>(), words.size() == 0 ? std::initializer_list<std::string_view>{name} : words);
  json.end_object().end_object().end_array().end_object();
  return {.name = std::string(name),
          .summary = std::string(summary),
          .schema = std::move(schema),
          .from_client = direction == Direction::request};
}

Message event_of(const StreamChannelInfo& info) {
  const SchemaOptions options = frame_options(Direction::response);
  std::string schema;
  JsonWriter json(schema);
  json.begin_object().key("allOf").begin_array().raw(schema_of<EventHead>(options)).begin_object();
  json.key("type").text("object").key("required").begin_array().text("payload").end_array();
  json.key("properties").begin_object();
  write_kind(json, type_of<EventHead>(), {"event"});
  json.key("channel").begin_object().key("const").text(info.name).end_object();
  json.key("payload").raw(schema_of(info.payload(), options)).end_object();
  json.end_object().end_array().end_object();
  return {.name = "event_" + std::string(info.name), .summary = std::string(info.doc), .schema = std::move(schema)};
}

std::vector<Message> account_messages() {
  std::vector<Message> messages{
      message<StreamRequest>("request", "Subscribes to a channel, or unsubscribes from it", Direction::request,
                             {"subscribe", "unsubscribe"}),
      message<SyncRequest>("sync", "Asks for a word when everything up to now has been told", Direction::request),
      message<SyncedFrame>("synced", "Everything up to that command came before this"),
      message<SubscribedFrame>("subscribed", "The subscription stands"),
      message<UnsubscribedFrame>("unsubscribed", "The subscription has ended"),
      message<OutOfSyncFrame>("out_of_sync", "The subscription has ended: events were missed"),
      message<StreamErrorFrame>("error", "A frame was not understood or not allowed")};
  for (const StreamChannelInfo& info : stream_channels()) {
    if (info.payload != nullptr) messages.push_back(event_of(info));
  }
  return messages;
}

std::vector<Message> public_messages() {
  return {
      message<PublicSubscribeFrame>("subscribe", "Names everything; only the first message counts", Direction::request),
      message<SyncRequest>("sync", "Asks for a word when everything up to now has been told", Direction::request),
      message<PublicSyncedFrame>("synced", "Everything up to that command came before this"),
      message<PublicTradeFrame>("Trade", "A trade"),
      message<BookUpdateFrame>("BookUpdate", "The top of a book"),
      message<MarketHaltedFrame>("MarketHalted", "A market was halted"),
      message<MarketResumedFrame>("MarketResumed", "A market trades again"),
      message<StatsFrame>("Stats", "Figures of the venue, once a second"),
      message<GapFrame>("gap", "Frames were left out"),
      message<PublicErrorFrame>("error", "Why the connection ends")};
}

struct Stream {
  std::string_view id;
  std::string_view address;
  std::string_view description;
  bool needs_token;
  std::vector<Message> messages;
};

void write_channel(JsonWriter& json, const Stream& stream) {
  json.key(stream.id).begin_object();
  json.key("address").text(stream.address).key("description").text(stream.description);
  json.key("bindings").begin_object().key("ws").begin_object().key("method").text("GET");
  json.key("query").begin_object().key("type").text("object");
  if (stream.needs_token) json.key("required").begin_array().text("token").end_array();
  json.key("properties").begin_object().key("token").begin_object().key("type").text("string");
  json.end_object().end_object().end_object().end_object().end_object();
  json.key("messages").begin_object();
  for (const Message& each : stream.messages) {
    json.key(each.name).begin_object().key("name").text(each.name).key("summary").text(each.summary);
    json.key("contentType").text("application/json").key("payload").raw(each.schema).end_object();
  }
  json.end_object().end_object();
}

// From the server's point of view: it receives what the client sends.
void write_operation(JsonWriter& json, const Stream& stream, bool received) {
  const std::string prefix = "#/channels/" + std::string(stream.id);
  json.key(std::string(stream.id) + (received ? "_hears" : "_tells")).begin_object();
  json.key("action").text(received ? "receive" : "send");
  json.key("channel").begin_object().key("$ref").text(prefix).end_object();
  json.key("messages").begin_array();
  for (const Message& each : stream.messages) {
    if (each.from_client == received)
      json.begin_object().key("$ref").text(prefix + "/messages/" + each.name).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string async_api_document(const std::string& title, const ApiVersion& version, std::string_view host) {
  const Stream streams[] = {
      {.id = "ws",
       .address = "/ws",
       .description = "One channel per frame, acknowledged, numbered, resumable; opened with a token of POST /ws/token",
       .needs_token = true,
       .messages = account_messages()},
      {.id = "stream",
       .address = "/stream",
       .description = "Public and older: one message names everything, nothing is acknowledged",
       .needs_token = false,
       .messages = public_messages()}};
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("asyncapi").text("3.0.0");
  json.key("info").begin_object().key("title").text(title + " streams");
  json.key("version").text(to_string(version)).end_object();
  json.key("defaultContentType").text("application/json");
  json.key("servers").begin_object().key("here").begin_object();
  json.key("host").text(host).key("pathname").text(stream_prefix).key("protocol").text("ws");
  json.end_object().end_object();
  json.key("channels").begin_object();
  for (const Stream& stream : streams) write_channel(json, stream);
  json.end_object().key("operations").begin_object();
  for (const Stream& stream : streams) {
    write_operation(json, stream, true);
    write_operation(json, stream, false);
  }
  json.end_object().end_object();
  return text;
}

}  // namespace svc::api
