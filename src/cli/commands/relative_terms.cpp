#include "cli/commands/relative_terms.h"

#include <array>

#include "cli/commands/decimal_math.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// In the order of the enumerators.
constexpr std::array anchor_words{"bid"sv, "ask"sv, "mid"sv, "mark"sv, "index"sv, "last"sv};

std::string lower_words(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool strip_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::optional<Decimal> above_zero(std::string_view text) {
  const auto number = parse_decimal(completed_decimal(std::string(text)));
  return number && number->coefficient > 0 ? std::optional(*number) : std::nullopt;
}

std::optional<RelativePrice> relative_price(std::string_view text) {
  using Unit = RelativePrice::Unit;
  for (std::size_t i = 0; i < anchor_words.size(); ++i) {
    if (!text.starts_with(anchor_words[i])) continue;
    RelativePrice price{.anchor = static_cast<PriceAnchor>(i)};
    std::string_view rest = text.substr(anchor_words[i].size());
    if (rest.empty()) return price;
    const bool minus = rest.front() == '-';
    if (!minus && rest.front() != '+') return std::nullopt;
    rest.remove_prefix(1);
    if (strip_end(rest, "bps")) {
      price.unit = Unit::bps;
    } else if (strip_end(rest, "%")) {
      price.unit = Unit::percent;
    } else if (strip_end(rest, "t")) {
      price.unit = Unit::ticks;
    }
    const auto distance = above_zero(rest);
    if (!distance || (price.unit == Unit::ticks && distance->scale > 0)) return std::nullopt;
    price.distance = *distance;
    if (minus) price.distance.coefficient = -price.distance.coefficient;
    return price;
  }
  return std::nullopt;
}

std::optional<RelativeSize> relative_size(std::string_view text) {
  using Kind = RelativeSize::Kind;
  RelativeSize size;
  if (text.starts_with("max@")) {
    size.kind = Kind::leverage;
    text.remove_prefix(4);
    if (!strip_end(text, "x")) return std::nullopt;
  } else if (strip_end(text, "%pos") || strip_end(text, "%")) {
    size.kind = Kind::position;
  } else if (!strip_end(text, "usdx")) {
    return std::nullopt;
  }
  const auto amount = above_zero(text);
  if (!amount) return std::nullopt;
  size.amount = *amount;
  return size;
}

}  // namespace

std::string_view to_string(PriceAnchor anchor) {
  return anchor_words[static_cast<std::size_t>(anchor)];
}

Result<std::optional<RelativePrice>, Failure> parse_price_term(std::string_view flag, const std::string& text) {
  if (above_zero(text)) return std::optional<RelativePrice>{};
  if (const auto relative = relative_price(lower_words(text))) return relative;
  return unexpected(usage_error(std::string(flag) +
                                " must be a price such as 64950, or one such as mid-5bps, bid+1t, " +
                                "ask-0.1% or mark+25, not \"" + text + "\""));
}

Result<std::optional<RelativeSize>, Failure> parse_size_term(std::string_view flag, const std::string& text) {
  if (above_zero(text)) return std::optional<RelativeSize>{};
  if (const auto relative = relative_size(lower_words(text))) return relative;
  return unexpected(usage_error(std::string(flag) + " must be a size such as 0.25, or one such as 500usdx, 50%pos or " +
                                "max@3x, not \"" + text + "\""));
}

}  // namespace svc::cli
