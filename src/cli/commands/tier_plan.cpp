#include "cli/commands/tier_plan.h"

#include <algorithm>
#include <set>

#include "api/records/tier.h"
#include "api/tiers.h"
#include "cli/commands/csv_line.h"

namespace svc::cli {
namespace {

constexpr std::size_t rows_max = 10'000;
constexpr std::int64_t plan_version = 1;

std::string_view default_tier() {
  return api::tier_texts[static_cast<std::size_t>(api::default_tier)];
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_address(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

Failure bad_tier_line(std::size_t line, const std::string& problem) {
  return usage_error("line " + std::to_string(line) + ": " + problem);
}

struct Header {
  std::vector<std::string> names;

  [[nodiscard]] std::string cell(const std::vector<std::string>& cells, std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::string() : cells[static_cast<std::size_t>(found - names.begin())];
  }
};

Result<Header, Failure> header_of(std::size_t line, std::vector<std::string> names) {
  for (const std::string_view needed : {"address", "tier"}) {
    if (std::find(names.begin(), names.end(), needed) == names.end())
      return unexpected(bad_tier_line(line, "the header needs a column " + std::string(needed)));
  }
  for (const std::string& name : names) {
    if (name != "address" && name != "tier" && name != "expect" && name != "note")
      return unexpected(bad_tier_line(line, "unknown column \"" + name + "\"; there are address, tier, expect, note"));
  }
  return Header{std::move(names)};
}

Result<std::string, Failure> tier_of(std::size_t line, const std::string& text) {
  if (const auto tier = tier_spelling(text)) return *tier;
  return unexpected(bad_tier_line(line, "tier must be one of Pro, MarketMaker, Unlimited, not \"" + text + "\""));
}

Result<WantedTier, Failure> row_of(std::size_t line, const Header& header, const std::vector<std::string>& cells) {
  if (cells.size() != header.names.size()) {
    return unexpected(bad_tier_line(
        line, "expected " + std::to_string(header.names.size()) + " cells, found " + std::to_string(cells.size())));
  }
  const std::string address_text = header.cell(cells, "address");
  const auto address = parse_address(address_text);
  if (!address) return unexpected(bad_tier_line(line, "\"" + address_text + "\" is not an address: 0x and 40 hex digits"));
  const auto tier = SVC_TRY(tier_of(line, header.cell(cells, "tier")));
  WantedTier wanted{.line = line, .address = *address, .tier = tier, .expect = {}};
  if (const std::string expect = header.cell(cells, "expect"); !expect.empty()) {
    const auto expected = SVC_TRY(tier_of(line, expect));
    wanted.expect = expected;
  }
  return wanted;
}

}  // namespace

std::optional<std::string> tier_spelling(std::string_view text) {
  for (const std::string_view tier : api::tier_texts) {
    if (same_address(tier, text)) return std::string(tier);
  }
  return std::nullopt;
}

Result<std::vector<WantedTier>, Failure> parse_tiers(std::string_view csv) {
  std::vector<WantedTier> wanted;
  std::optional<Header> header;
  std::set<Address> seen;
  std::size_t number = 0;
  while (!csv.empty()) {
    const auto feed = csv.find('\n');
    std::string_view line = csv.substr(0, feed);
    csv = feed == std::string_view::npos ? std::string_view{} : csv.substr(feed + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    auto cells = split_csv(line);
    if (!cells) return unexpected(bad_tier_line(number, cells.error()));
    if (!header) {
      auto named = SVC_TRY(header_of(number, std::move(*cells)));
      header = std::move(named);
      continue;
    }
    if (wanted.size() == rows_max)
      return unexpected(usage_error("more than " + std::to_string(rows_max) + " accounts"));
    auto row = SVC_TRY(row_of(number, *header, *cells));
    if (!seen.insert(row.address).second)
      return unexpected(bad_tier_line(number, to_string(row.address) + " stands twice"));
    wanted.push_back(std::move(row));
  }
  if (!header) return unexpected(usage_error("the file is empty; its header is address,tier"));
  return wanted;
}

Result<std::vector<TierChange>, Failure> plan_tiers(const std::vector<WantedTier>& wanted, const PresentTiers& present,
                                                    bool prune) {
  std::vector<TierChange> changes;
  std::set<std::string, std::less<>> named;
  for (const WantedTier& want : wanted) {
    const std::string address = to_string(want.address);
    named.insert(address);
    const auto found = present.find(address);
    const std::string now = found == present.end() ? std::string(default_tier()) : found->second;
    if (want.expect && !same_address(*want.expect, now)) {
      return unexpected(guard("unexpected_tier", "line " + std::to_string(want.line) + ": " + address + " has tier " +
                                                     now + ", not " + *want.expect + "; nothing was changed"));
    }
    if (!same_address(now, want.tier)) changes.push_back({want.address, now, want.tier, want.tier == default_tier()});
  }
  for (const auto& [address, tier] : present) {
    const auto parsed = parse_address(address);
    if (!prune || named.contains(address) || !parsed || same_address(tier, default_tier())) continue;
    changes.push_back({*parsed, tier, std::string(default_tier()), true});
  }
  return changes;
}

Json plan_document(std::string_view network, const std::vector<TierChange>& changes) {
  Json rows = Json::array();
  for (const TierChange& change : changes) {
    rows.push(Json::object({{"address", to_string(change.address)},
                            {"action", change.action()},
                            {"old", change.old_tier},
                            {"new", change.new_tier}}));
  }
  return Json::object({{"version", plan_version}, {"network", network}, {"changes", std::move(rows)}});
}

}  // namespace svc::cli
