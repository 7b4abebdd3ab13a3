#include "base/text_condition.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/text.h"

namespace svc {
namespace {

// As `compared`; nullopt if they are not comparable as numbers.
std::optional<int> compare_decimals(std::string_view left, std::string_view right) {
  const auto a = parse_decimal(left);
  const auto b = parse_decimal(right);
  return a && b ? compared(*a, *b) : std::nullopt;
}

// False for values probably not meant as plain text: a quoted text, another operator, a second condition.
bool is_plain(std::string_view value) {
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  const bool operates = value.find_first_of("=<>!~") == 0 || value.find("||") != std::string_view::npos;
  return !value.empty() && !quoted && !operates;
}

}  // namespace

// Two pointers and the last star: linear in practice, and no recursion for a hostile pattern.
bool glob_fits(std::string_view glob, std::string_view text) {
  std::size_t at = 0;
  std::size_t seen = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (seen < text.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      resume = seen;
    } else if (at < glob.size() && glob[at] == text[seen]) {
      ++at;
      ++seen;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      seen = ++resume;
    } else {
      return false;
    }
  }
  return glob.substr(at).find_first_not_of('*') == std::string_view::npos;
}

Result<TextCondition, std::string> TextCondition::parse(std::string_view text) {
  const auto malformed = [](std::string_view what) {
    return unexpected(
        "must be a member such as payload.price, alone or followed by =, !=, <, <=, > or >= and a value: " +
        std::string(what));
  };
  struct Sign {
    std::string_view text;
    Relation relation;
  };
  static constexpr Sign signs[] = {{"!=", Relation::unequal}, {"<=", Relation::at_most}, {">=", Relation::at_least},
                                   {"==", Relation::equal},   {"=", Relation::equal},    {"<", Relation::less},
                                   {">", Relation::greater}};
  TextCondition condition;
  const auto at = text.find_first_of("!<>=");
  condition.path = trimmed(text.substr(0, at), " ");
  if (condition.path.starts_with('.')) condition.path.erase(0, 1);
  if (!is_plain_word(condition.path, std::string::npos, "."))
    return malformed("the name of a member has letters, digits, _, - and points, not \"" + condition.path + "\"");
  if (at == std::string_view::npos) return condition;
  for (const Sign& sign : signs) {
    if (!text.substr(at).starts_with(sign.text)) continue;
    condition.relation = sign.relation;
    condition.value = trimmed(text.substr(at + sign.text.size()), " ");
    if (!is_plain(condition.value))
      return malformed("a value stands without quotes or a further operator, not \"" + condition.value + "\"");
    const bool by_size = sign.relation != Relation::equal && sign.relation != Relation::unequal;
    if (by_size && !parse_decimal(condition.value))
      return malformed("only a decimal in plain digits is compared by size, not \"" + condition.value + "\"");
    return condition;
  }
  return malformed("there is no relation after " + condition.path);
}

bool TextCondition::holds(std::optional<std::string_view> met) const {
  if (!met) return false;
  const auto order = compare_decimals(*met, value);
  const bool is_equal = order ? *order == 0 : *met == value;
  switch (relation) {
    case Relation::there: return *met != "null" && *met != "false";
    case Relation::equal: return is_equal;
    case Relation::unequal: return !is_equal;
    case Relation::less: return order && *order < 0;
    case Relation::at_most: return order && *order <= 0;
    case Relation::greater: return order && *order > 0;
    case Relation::at_least: return order && *order >= 0;
  }
  return false;
}

Result<TextConditions, std::string> TextConditions::parse(std::string_view text) {
  constexpr std::string_view joint = "&&";
  TextConditions conditions;
  conditions.text = text;
  while (true) {
    const auto end = text.find(joint);
    auto one = SVC_TRY(TextCondition::parse(text.substr(0, end)));
    conditions.all.push_back(std::move(one));
    if (end == std::string_view::npos) return conditions;
    text.remove_prefix(end + joint.size());
  }
}

bool TextConditions::hold(const std::function<std::optional<std::string>(std::string_view path)>& member) const {
  return std::ranges::all_of(all, [&](const TextCondition& one) { return one.holds(member(one.path)); });
}

}  // namespace svc
