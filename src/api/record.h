// A record is a struct with one tuple of fields. Strict decoding, encoding, JSON Schema, path and
// query placement and table columns derive from it.
//
//   struct MarginChange {
//     std::string market_id;
//     DecimalText amount;
//     static constexpr auto fields = std::tuple{
//         Field{"market_id", &MarginChange::market_id, "Market identifier"},
//         Field{"amount", &MarginChange::amount, "Margin in USDX"}};
//   };
//
// std::optional<T> means "may be absent or null" on input; on output an empty optional is written
// as null (the key is always present) unless the field says Omit::when_empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace svc::api {

// Where a field of a request travels.
enum class In : std::uint8_t { body, path, query, header };

enum class Omit : std::uint8_t { never, when_empty };

template <class R, class M>
struct Field {
  using Record = R;
  using Member = M;

  std::string_view name;
  M R::*member;
  std::string_view doc;
  In in = In::body;
  Omit omit = Omit::never;
};

template <class R, class M>
Field(std::string_view, M R::*, std::string_view) -> Field<R, M>;
template <class R, class M>
Field(std::string_view, M R::*, std::string_view, In) -> Field<R, M>;
template <class R, class M>
Field(std::string_view, M R::*, std::string_view, In, Omit) -> Field<R, M>;

template <class T>
concept Record = requires { T::fields; };

}  // namespace svc::api
