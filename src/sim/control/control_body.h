// The body of a control request: one flat JSON object, read strictly. Numbers keep their text, so no
// price or amount passes through a double.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/error_catalog.h"
#include "base/result.h"

namespace svc::sim {

// The refusal of a body that is not what the request takes.
[[nodiscard]] inline api::ApiError bad_body(std::string why) {
  return api::ApiError(api::ErrorCode::invalid_json, std::move(why));
}

class ControlBody {
 public:
  enum class Kind : std::uint8_t { text, number, boolean, null };
  struct Value {
    Kind kind = Kind::null;
    std::string text;  // of a string its content, of a number its spelling
  };
  using Member = std::pair<std::string, Value>;

  // The error is one sentence. Refused: anything but one object, members within members, a name twice.
  [[nodiscard]] static Result<ControlBody, std::string> parse(std::string_view json);

  // In the order sent.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  // The first member that is none of these, as an error.
  [[nodiscard]] Result<void, std::string> only(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] Result<std::string, std::string> text(std::string_view name) const;
  [[nodiscard]] Result<std::int64_t, std::string> integer(std::string_view name) const;
  [[nodiscard]] Result<bool, std::string> flag(std::string_view name) const;
  // A string or a number, as its text: "60000" and 60000 are one decimal.
  [[nodiscard]] Result<std::string, std::string> decimal(std::string_view name) const;

 private:
  [[nodiscard]] const Value* find(std::string_view name) const;

  std::vector<Member> members_;
};

}  // namespace svc::sim
