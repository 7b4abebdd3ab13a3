// Reading an object field by field, strictly: what is not asked for is an error, and so is the wrong type. An optional
// field that is null is absent.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/decimal.h"
#include "sim/engine/rational.h"

namespace svc::sim::scenario {

class Fields {
 public:
  // `where` names the object in errors.
  Fields(const nlohmann::json& object, std::string where);

  std::string text(const char* name);
  std::string text(const char* name, const std::string& otherwise);
  std::optional<std::string> text_or_null(const char* name, std::optional<std::string> otherwise);
  Decimal decimal(const char* name);
  std::optional<Decimal> decimal_if_given(const char* name);
  Usdx amount(const char* name);
  Usdx amount(const char* name, Usdx otherwise);
  engine::Rational rational(const char* name);
  engine::Rational rational(const char* name, engine::Rational otherwise);
  std::int64_t integer(const char* name);
  std::int64_t integer(const char* name, std::int64_t otherwise);
  std::optional<std::int32_t> small_integer_if_given(const char* name);
  bool flag(const char* name);
  const nlohmann::json* raw(const char* name);  // nullptr if absent; may be null

  // Throws if a field was not asked for. Errors are thrown as FieldError and end at parse_scenario_file.
  void finish() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const nlohmann::json* find(const char* name);  // nullptr if absent or null
  std::string number_text(const char* name);

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

struct FieldError {
  std::string text;
};

}  // namespace svc::sim::scenario
