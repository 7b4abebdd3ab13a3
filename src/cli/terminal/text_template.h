// --template: a text with places for what a record holds: '{market} {size} @ {entry}'.
//
// A place names a column, or a member by its path under the wire's names ("order.id"). {{ and }} are
// braces; \n, \t and \\ are what they are in C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

class TextTemplate {
 public:
  struct Part {
    std::string text;
    bool place = false;  // `text` is the name of what comes here
  };

  // The error says what is wrong with the text, without the flag's name.
  [[nodiscard]] static Result<TextTemplate, std::string> parse(std::string_view text);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

}  // namespace svc::cli
