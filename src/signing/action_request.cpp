#include "signing/action_request.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "signing/json_document.h"

namespace svc::signing {
namespace {

using nlohmann::json;

template <class T>
using Read = Result<T, Unformed>;

std::optional<std::uint32_t> number_in(const json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return value.get<std::uint32_t>();
}

constexpr bool is_optional(From from) {
  return from == From::body_if_any || from == From::digits_if_any || from == From::flag_if_any;
}

// Reads a member of a body's object; null counts as absent.
template <class Value>
Read<void> take(const json& object, const std::string& name, From from, Value& into) {
  if (!object.is_object()) return unexpected("expected a JSON object");
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) {
    if (!is_optional(from)) return unexpected(name + " is required");
    return {};
  }
  const auto number = number_in(*at);
  const bool wants_number = from == From::number || from == From::digits_if_any;
  if (wants_number && !number) return unexpected(name + " must be a whole number from 0 to 4294967295");
  if constexpr (std::is_same_v<Value, bool>) {
    if (!at->is_boolean()) return unexpected(name + " must be true or false");
    into = at->template get<bool>();
  } else if constexpr (std::is_same_v<Value, std::uint32_t>) {
    into = *number;
  } else if (wants_number) {
    into = std::to_string(*number);
  } else {
    if (!at->is_string()) return unexpected(name + " must be a string");
    into = at->template get_ref<const std::string&>();
    if (into.empty() && from != From::body_as_it_is)
      return unexpected(name + " must not be empty; leave it out instead");
  }
  return {};
}

// Rule A4.
Read<std::string> value_of_query(std::string_view query, const std::string& name, From from) {
  const auto encoded = find_parameter(query, name);
  if (!encoded) return std::string();
  auto value = percent_decode_bytes(*encoded, Plus::is_blank);
  if (!value) return unexpected(Unformed(name + " of the query is not percent-encoded text", true));
  if (value->empty() && from == From::query)
    return unexpected(Unformed(name + " of the query must not be empty; leave it out instead", true));
  return std::move(*value);
}

Read<std::string> last_segment(std::string_view path) {
  auto segment = percent_decode_bytes(path.substr(path.rfind('/') + 1), Plus::is_itself);
  if (!segment || segment->empty()) return unexpected(Unformed("the path does not end in an id", true));
  return std::move(*segment);
}

constexpr bool is_of_body(From from) {
  return from != From::caller && from != From::query && from != From::query_as_it_is && from != From::path;
}

template <class Action, class Holds>
constexpr bool any_member(Holds holds) {
  bool any = false;
  for_each_member<Action>([&](const auto& member) { any = any || holds(member.from); });
  return any;
}

template <SignedStruct Struct>
Read<void> read_members(const RequestParts& request, const json& body, Struct& into);

template <class Value>
Read<void> read_member(const RequestParts& request, const json& body, const std::string& name, From from, Value& into) {
  if constexpr (SignedStruct<Value>) {
    return read_members(request, body, into);
  } else if constexpr (is_list<Value>) {
    if (!body.is_array()) return unexpected("expected a JSON array of " + name);
    into.resize(body.size());
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto read = read_members(request, body[i], into[i]);
      if (!read) return unexpected("order " + std::to_string(i) + ": " + read.error().why);
    }
    return {};
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (!is_of_body(from)) {
      into = SVC_TRY(from == From::path ? last_segment(request.path) : value_of_query(request.query, name, from));
      return {};
    }
    return take(body, name, from, into);
  } else if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, std::uint32_t>) {
    return take(body, name, from, into);
  } else if constexpr (std::is_same_v<Value, Address>) {
    std::string text;
    SVC_TRY(read_member(request, body, name, from, text));
    const auto address = parse_address(text);
    if (!address) return unexpected(name + " must be an address");
    into = *address;
    return {};
  } else {
    return {};  // supplied by the signer
  }
}

template <SignedStruct Struct>
Read<void> read_members(const RequestParts& request, const json& body, Struct& into) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_member<Struct>([&](const auto& member) { all.push_back(request_name(member.name)); });
    return all;
  }();
  Read<void> read;
  std::size_t i = 0;
  for_each_member<Struct>([&](const auto& member) {
    const std::string& name = names[i++];
    if (read && member.from != From::caller) read = read_member(request, body, name, member.from, into.*member.at);
  });
  return read;
}

// Into a struct that has what the signer supplies.
template <class Struct>
Read<Struct> read_struct(const RequestParts& request, Struct one) {
  json body;
  if constexpr (any_member<Struct>(is_of_body)) {
    constexpr bool needs_body = any_member<Struct>([](From from) { return is_of_body(from) && !is_optional(from); });
    body = SVC_TRY(parse_json_document(is_blank_text(request.body) && !needs_body ? "{}" : request.body));
  }
  SVC_TRY(read_members(request, body, one));
  return one;
}

}  // namespace

template <class Action>
Result<ActionStruct, Unformed> action_of(const RequestParts& request, ActionContext context) {
  Action action;
  static_cast<ActionContext&>(action) = std::move(context);
  return ActionStruct(SVC_TRY(read_struct(request, std::move(action))));
}

template <class Struct>
Result<Struct, std::string> owner_struct_of(const RequestParts& request) {
  auto read = read_struct(request, Struct{});
  if (!read) return unexpected(std::move(read).error().why);
  return *std::move(read);
}

[[gnu::used]] constexpr auto action_readers =
    of_every_struct(std::type_identity<ActionStruct>(), []<class Action>() { return &action_of<Action>; });
[[gnu::used]] constexpr auto owner_readers =
    of_every_struct(std::type_identity<OwnerStructs>(), []<class Struct>() { return &owner_struct_of<Struct>; });

}  // namespace svc::signing
