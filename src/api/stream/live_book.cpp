#include "api/stream/live_book.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"

namespace svc::api {
namespace {

using Next = JsonReader::Next;

bool read_decimal(JsonReader& reader, Decimal& into) {
  std::string text;
  if (!reader.text_or_number(text)) return false;
  // A number of JSON may have an exponent: 1e-05.
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const auto decimal = parse_decimal(std::string_view(text).substr(0, mark));
  if (!decimal) return false;
  into = *decimal;
  // Limits the scale so that two decimals can be compared in 128 bits.
  constexpr int scale_max = 18;
  constexpr i128 coefficient_max = 1'000'000'000'000'000'000;
  if (mark < text.size()) {
    const std::size_t digits = mark + (text.find('+', mark) == mark + 1 ? 2 : 1);
    const auto exponent = parse_integer<int>(std::string_view(text).substr(digits));
    if (!exponent || *exponent > scale_max || *exponent < -scale_max) return false;
    for (into.scale -= *exponent; into.scale < 0 && into.coefficient <= coefficient_max; ++into.scale)
      into.coefficient *= 10;
    for (; into.scale > 0 && into.coefficient % 10 == 0; --into.scale) into.coefficient /= 10;
  }
  return into.scale >= 0 && into.scale <= scale_max && into.coefficient <= coefficient_max;
}

bool read_level(JsonReader& reader, BookLevel& level) {
  if (!reader.open_array() || !reader.next_element() || !read_decimal(reader, level.price)) return false;
  if (!reader.next_element() || !read_decimal(reader, level.size)) return false;
  std::string_view more;
  while (reader.next_element()) {
    if (!reader.any(more)) return false;
  }
  return !reader.failed();
}

bool read_side(JsonReader& reader, std::vector<BookLevel>& side) {
  if (!reader.open_array()) return false;
  while (reader.next_element()) {
    if (side.size() >= limits::book_levels_max || !read_level(reader, side.emplace_back())) return false;
  }
  return !reader.failed();
}

bool read_count(JsonReader& reader, std::uint64_t& into) {
  std::string_view token;
  if (reader.peek() != Next::number) return reader.any(token);
  const auto count = reader.number(token) ? parse_integer<std::uint64_t>(token) : std::nullopt;
  if (count) into = *count;
  return count.has_value();
}

// Requires both above zero.
bool is_below(const BookLevel& a, const BookLevel& b) {
  return compared(a.price, b.price).value_or(0) < 0;
}

const char* fault_of(const BookSnapshot& book) {
  for (const auto* side : {&book.bids, &book.asks}) {
    for (const BookLevel& level : *side) {
      if (level.price.coefficient <= 0 || level.size.coefficient <= 0) return "a level is not above zero";
    }
  }
  const auto is_not_above = [](const BookLevel& a, const BookLevel& b) { return !is_below(b, a); };
  if (std::ranges::adjacent_find(book.bids, is_not_above) != book.bids.end()) return "its bids do not fall";
  if (std::ranges::adjacent_find(book.asks, std::not_fn(is_below)) != book.asks.end()) return "its asks do not rise";
  const bool crossed = !book.bids.empty() && !book.asks.empty() && !is_below(book.bids[0], book.asks[0]);
  return crossed ? "its best bid is not below its best ask" : nullptr;
}

}  // namespace

Result<BookSnapshot, std::string> read_book(std::string_view payload) {
  JsonReader reader(payload, limits::record_json_depth_max);
  BookSnapshot book;
  std::string name;
  std::string_view skipped;
  bool bids = false;
  bool asks = false;
  std::uint64_t at_ms = 0;
  bool sound = reader.open_object();
  while (sound && reader.next_member(name)) {
    if (name == "bids") {
      sound = !std::exchange(bids, true) && read_side(reader, book.bids);
    } else if (name == "asks") {
      sound = !std::exchange(asks, true) && read_side(reader, book.asks);
    } else if (name == "nonce") {
      sound = read_count(reader, book.nonce);
    } else if (name == "timestamp") {
      sound = read_count(reader, at_ms);
    } else {
      sound = reader.any(skipped);
    }
  }
  if (!sound || reader.failed() || !bids || !asks) return unexpected("it is not of the form of a book");
  book.at_ms = static_cast<TimestampMs>(at_ms);
  if (const char* fault = fault_of(book)) return unexpected(std::string(fault));
  return book;
}

void LiveBook::doubt(std::string reason) {
  book_.reset();
  doubt_ = std::move(reason);
}

void LiveBook::take(const StreamNews& news) {
  using enum StreamNews::Kind;
  if (news.kind == disconnected) return doubt("the connection is lost: " + news.text);
  if (!news.key || news.key->channel != StreamChannel::book || news.key->market != market_) return;
  switch (news.kind) {
    case gap: return doubt("events are missing");
    case resync: return doubt("the book is read anew");
    case error: return doubt(news.text);
    case event: break;
    default: return;
  }
  auto book = read_book(news.payload);
  if (!book) return doubt("the last book contradicts itself: " + book.error());
  // Within one connection the book never goes back; a new connection begins with a resync.
  if (book_ && book->nonce < book_->nonce) return doubt("the last book is older than the one before it");
  book_ = std::move(*book);
}

Result<const BookSnapshot*, std::string> LiveBook::read(TimestampMs now_ms, TimestampMs heard_ms) const {
  if (!book_) return unexpected(doubt_);
  if (now_ms - heard_ms > stream_limits::silence_ms_max) return unexpected("the server is silent");
  return &*book_;
}

}  // namespace svc::api
