#include "api/operation_table.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "api/contract/control.h"
#include "api/message_codec.h"
#include "api/router.h"
#include "base/find.h"

// Builds the TypeInfo of every type. Only here are records instantiated; all others use type_of<T>().

namespace svc::api {
namespace {

template <class T>
consteval std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;  // "... T = svc::api::Page<svc::api::Order>; ..."
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const std::size_t scope = text.substr(0, text.find('<')).rfind("::");
  if (scope != std::string_view::npos) text.remove_prefix(scope + 2);
  return text;
}

template <class T>
consteval Kind scalar_kind() {
  if constexpr (std::same_as<T, std::string>) return Kind::text;
  if constexpr (std::same_as<T, Secret>) return Kind::secret;
  if constexpr (std::same_as<T, bool>) return Kind::boolean;
  if constexpr (std::same_as<T, std::int64_t>) return Kind::int64;
  if constexpr (std::same_as<T, std::uint64_t>) return Kind::uint64;
  if constexpr (std::same_as<T, std::uint32_t>) return Kind::uint32;
  if constexpr (std::same_as<T, DecimalText>) return Kind::decimal;
  if constexpr (std::same_as<T, NumberText>) return Kind::number;
  if constexpr (std::same_as<T, JsonObjectText>) return Kind::json_object;
  if constexpr (std::same_as<T, Address>) return Kind::address;
  if constexpr (std::same_as<T, MarketId>) return Kind::market_id;
}

// What is known of a type. Does not compile for what is not a type of the wire.
template <class T>
struct Described {
  static constexpr TypeInfo info{.kind = scalar_kind<T>()};
};

template <WireEnum E>
struct Described<E> {
  static_assert(sizeof(E) == 1, "a wire enumeration is one byte, so that the codec can write it by index");
  static constexpr EnumNames names = enum_names(E{});
  static constexpr TypeInfo info{.kind = Kind::enumeration, .names = &names};
};

template <class T>
struct Described<std::optional<T>> {
  using Container = std::optional<T>;
  static void* emplace(void* c) { return &static_cast<Container*>(c)->emplace(); }
  static void clear(void* c) { static_cast<Container*>(c)->reset(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->has_value() ? 1 : 0; }
  static const void* at(const void* c, std::size_t) { return &**static_cast<const Container*>(c); }

  static constexpr ContainerAccess access{.emplace = &emplace, .clear = &clear, .size = &size, .at = &at};
  static constexpr TypeInfo info{.kind = Kind::optional, .element = &type_of<T>, .container = &access};
};

template <class T>
struct Described<std::vector<T>> {
  using Container = std::vector<T>;
  static void* emplace(void* c) { return &static_cast<Container*>(c)->emplace_back(); }
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static const void* at(const void* c, std::size_t i) { return &(*static_cast<const Container*>(c))[i]; }

  static constexpr ContainerAccess access{.emplace = &emplace, .clear = &clear, .size = &size, .at = &at};
  static constexpr TypeInfo info{.kind = Kind::list, .element = &type_of<T>, .container = &access};
};

// A std::map, or Members.
template <class Container, class T>
struct MapOf {
  static void clear(void* c) { static_cast<Container*>(c)->clear(); }
  static std::size_t size(const void* c) { return static_cast<const Container*>(c)->size(); }
  static void* insert(void* c, const std::string& key) {
    auto& container = *static_cast<Container*>(c);
    if constexpr (std::same_as<Container, Members<T>>) {
      const bool known = is_among(key, container, &Container::value_type::first);
      return known ? nullptr : &container.emplace_back(key, T{}).second;
    } else {
      const auto [position, added] = container.try_emplace(key);
      return added ? &position->second : nullptr;
    }
  }
  static void each(const void* c, void* context, void (*visit)(void*, const std::string&, const void*)) {
    for (const auto& [key, element] : *static_cast<const Container*>(c)) visit(context, key, &element);
  }

  static constexpr ContainerAccess access{.clear = &clear, .size = &size, .insert = &insert, .each = &each};
  static constexpr TypeInfo info{.kind = Kind::map, .element = &type_of<T>, .container = &access};
};

template <class T>
struct Described<Members<T>> : MapOf<Members<T>, T> {};
template <class T>
struct Described<MemberMap<T>> : MapOf<MemberMap<T>, T> {};

template <class R>
concept ArrayShaped = requires {
  R::as_array;
};

template <Record R>
struct Described<R> {
  static const void* fresh() {
    static const R record{};
    return &record;
  }
  static const std::vector<WrittenField>& written() {
    static const std::vector<WrittenField> fields = written_fields(info);
    return fields;
  }

  static constexpr TypeInfo info{.kind = Kind::record,
                                 .name = type_name<R>(),
                                 .fields = std::span<const FieldInfo>(R::fields),
                                 .as_array = ArrayShaped<R>,
                                 .fresh = &fresh,
                                 .written = &written};
};

// A type with a custom form has it as `static const CustomForm form`.
template <class T>
concept Custom = std::same_as<decltype(T::form), const CustomForm>;

template <Custom T>
struct Described<T> {
  static constexpr TypeInfo info{.kind = Kind::custom, .name = type_name<T>(), .custom = &T::form};
};

constexpr auto entries = entries_of(AllOps{} + LegacyOps{});
constexpr auto control_entries = entries_of(control::AllOps{});

// The codes for malformed members, at any nesting.
void add_body_refusals(const TypeInfo& type, std::vector<ErrorCode>& codes) {
  if (type.kind == Kind::market_id) codes.push_back(ErrorCode::invalid_market_id);
  if (type.element != nullptr) add_body_refusals(type.element(), codes);
  for (const FieldInfo& field : type.fields) {
    if (!field.is_of_body()) continue;
    if (field.refusal != ErrorCode::invalid_json) codes.push_back(field.refusal);
    add_body_refusals(field.type(), codes);
  }
}

std::vector<ErrorCode> codes_of_request(const Operation& operation, const TypeInfo& request) {
  std::vector<ErrorCode> codes;
  for (const FieldInfo& field : request.fields) {
    if (field.is_of_body()) continue;
    const TypeInfo& type = field.type();
    const bool is_text = (type.kind == Kind::optional ? type.element() : type).kind == Kind::text;
    if (!is_text) codes.push_back(parameter_refusal(field));  // plain text is never malformed
    if (field.in != In::path && !is_optional(field)) codes.push_back(ErrorCode::invalid_parameter);
  }
  if (!operation.reads_body()) return codes;
  codes.insert(codes.end(), {ErrorCode::body_too_large, operation.broken_body, operation.refused_body});
  add_body_refusals(request, codes);
  return codes;
}

std::vector<ErrorCode> codes_of_call(const Operation& operation) {
  if (operation.base == PathBase::control)
    return {ErrorCode::internal_error, ErrorCode::service_unavailable, ErrorCode::forbidden};
  // invalid_parameter: an unknown query parameter, where the deployment refuses these.
  std::vector<ErrorCode> codes{ErrorCode::internal_error,    ErrorCode::service_unavailable,
                               ErrorCode::invalid_parameter, ErrorCode::uri_too_long,
                               ErrorCode::header_too_large,  ErrorCode::restricted_jurisdiction};
  if (!operation.auth.is_public() && !operation.auth.has(Auth::admin)) codes.push_back(ErrorCode::unauthorized);
  if (operation.auth.has(Auth::admin)) codes.push_back(ErrorCode::forbidden);
  if (operation.is_versioned()) codes.push_back(ErrorCode::api_version_unsupported);
  // A refused credential costs its sender a token of every operation.
  if (operation.weight.base != 0 || !operation.auth.is_public()) codes.push_back(ErrorCode::rate_limit_exceeded);
  if (operation.opens_stream()) codes.push_back(ErrorCode::bad_request);
  if (operation.networks != NetworkSet::all) codes.push_back(ErrorCode::not_found);
  return codes;
}

}  // namespace

template <class T>
const TypeInfo& type_of() {
  return Described<T>::info;
}

// For records that no operation has: the address of type_of<T>() makes the compiler emit it.
template <class... Types>
struct Instances {
  static constexpr std::array<const TypeInfo& (*)(), sizeof...(Types)> types{&type_of<Types>...};
};
template struct Instances<NetworkMap, StreamRequest, SyncRequest, SyncedFrame, SubscribedFrame, UnsubscribedFrame,
                          EventHead, OutOfSyncFrame, StreamErrorFrame, OrdersPayload, LiquidationsPayload,
                          PublicSubscribeFrame, PublicTradeFrame, BookUpdateFrame, MarketHaltedFrame,
                          MarketResumedFrame, StatsFrame, GapFrame, PublicSyncedFrame, PublicErrorFrame,
                          control::ReadyReport, control::StreamWatch>;

std::span<const OperationEntry> all_operations() {
  return std::span(entries).first<AllOps::size>();
}
std::span<const OperationEntry> every_operation() {
  return entries;
}
std::span<const OperationEntry> control::all_operations() {
  return control_entries;
}

// A request with a query is looked up by the name of its operation.
const OperationEntry* find_operation(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const OperationEntry*> all;
    for (const OperationEntry& entry : entries) all.emplace(entry.operation->name, &entry);
    return all;
  }();
  return value_in(by_name, name).value_or(nullptr);
}

OrderWrite order_write_of(std::string_view name) {
  const OperationEntry* const entry = find_operation(name);
  return entry == nullptr ? OrderWrite::none : entry->operation->orders;
}

namespace {

// Every operation, those of the control surface included.
const Router& all_routes() {
  static const Router router = [] {
    Router all = Router::of_network(true);
    for (const OperationEntry& entry : control_entries) all.add(*entry.operation);
    return all;
  }();
  return router;
}

}  // namespace

const Operation* match_operation(std::string_view method, std::string_view logical_path) {
  const Operation* meant = all_routes().meant(method, logical_path);
  return meant != nullptr && meant->base == PathBase::control ? nullptr : meant;
}

bool is_path_of(const Operation& operation, std::string_view logical_path) {
  if (logical_path == operation.path) return true;
  const auto found = all_routes().match(to_string(operation.method), logical_path);
  return found && found->operation == &operation;
}

Result<signing::ActionStruct, std::string> action_at(const signing::RequestParts& request,
                                                     signing::ActionContext context) {
  // Whatever stands before the path is a prefix.
  for (std::size_t begin = 0; begin < request.path.size(); begin = request.path.find('/', begin + 1)) {
    const Operation* operation = all_routes().meant(request.method, request.path.substr(begin));
    if (operation == nullptr || operation->action == nullptr) continue;
    auto formed = operation->action->read(request, std::move(context));
    if (!formed) return unexpected(std::move(formed).error().why);
    return *std::move(formed);
  }
  return unexpected(std::string(request.method) + " " + std::string(request.path) + " is not a trading action");
}

std::vector<OperationError> declared_errors(const OperationEntry& entry) {
  const Operation& operation = *entry.operation;
  std::vector<OperationError> errors;
  const auto add = [&](ErrorCode code) {
    errors.push_back({code, static_cast<std::uint16_t>(status_of(ApiError(code), operation))});
  };
  for (const OperationError& own : operation.errors) add(own.code);
  for (const ErrorCode code : codes_of_request(operation, entry.request())) add(code);
  for (const ErrorCode code : codes_of_call(operation)) add(code);
  const auto order = [](const OperationError& error) { return std::tuple(error.status, error.code); };
  std::ranges::sort(errors, {}, order);
  errors.erase(std::ranges::unique(errors, {}, order).begin(), errors.end());
  return errors;
}

}  // namespace svc::api
