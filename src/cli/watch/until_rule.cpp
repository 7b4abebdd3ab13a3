#include "cli/watch/until_rule.h"

#include <algorithm>
#include <compare>
#include <optional>

#include "base/decimal.h"
#include "cli/render.h"

namespace svc::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// nullopt if they cannot be compared as numbers.
std::optional<std::strong_ordering> compare_decimals(std::string_view left, std::string_view right) {
  constexpr int scale_max = 18;
  constexpr i128 coefficient_max = 1'000'000'000'000'000'000;
  const auto a = parse_decimal(left);
  const auto b = parse_decimal(right);
  if (!a || !b) return std::nullopt;
  const int scale = std::max(a->scale, b->scale);
  const auto in_range = [](const Decimal& d) {
    return d.scale <= scale_max && d.coefficient <= coefficient_max && d.coefficient >= -coefficient_max;
  };
  if (!in_range(*a) || !in_range(*b)) return std::nullopt;
  const auto widened = [scale](const Decimal& d) {
    i128 value = d.coefficient;
    for (int i = d.scale; i < scale; ++i) value *= 10;
    return value;
  };
  const i128 x = widened(*a);
  const i128 y = widened(*b);
  return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
}

}  // namespace

Result<UntilRule, std::string> UntilRule::parse(std::string_view text) {
  struct Sign {
    std::string_view text;
    Relation relation;
  };
  static constexpr Sign signs[] = {{"!=", Relation::unequal}, {"<=", Relation::at_most}, {">=", Relation::at_least},
                                   {"==", Relation::equal},   {"=", Relation::equal},    {"<", Relation::less},
                                   {">", Relation::greater}};
  UntilRule rule;
  const auto at = text.find_first_of("!<>=");
  rule.path_ = trimmed(text.substr(0, at));
  if (rule.path_.starts_with('.')) rule.path_.erase(0, 1);
  if (rule.path_.empty() || rule.path_.find(' ') != std::string::npos) {
    return unexpected(std::string("must be a member such as payload.price, alone or followed by =, !=, <, <=, > or >= and a value"));
  }
  if (at == std::string_view::npos) return rule;
  for (const Sign& sign : signs) {
    if (!text.substr(at).starts_with(sign.text)) continue;
    rule.relation_ = sign.relation;
    rule.value_ = trimmed(text.substr(at + sign.text.size()));
    return rule;
  }
  return unexpected("has no relation after " + rule.path_);
}

bool UntilRule::holds(const Json& document) const {
  const Json* found = document.at(path_);
  if (found == nullptr) return false;
  if (relation_ == Relation::there) {
    return !found->is(Json::Kind::null) && !(found->is(Json::Kind::boolean) && !found->truth());
  }
  const std::string text = found->is(Json::Kind::null) ? "null" : found->text().empty() ? cell_text(found) : found->text();
  const auto order = compare_decimals(text, value_);
  switch (relation_) {
    case Relation::there: return true;
    case Relation::equal: return order ? *order == 0 : text == value_;
    case Relation::unequal: return order ? *order != 0 : text != value_;
    case Relation::less: return order && *order < 0;
    case Relation::at_most: return order && *order <= 0;
    case Relation::greater: return order && *order > 0;
    case Relation::at_least: return order && *order >= 0;
  }
  return false;
}

}  // namespace svc::cli
