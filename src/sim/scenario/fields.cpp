#include "sim/scenario/fields.h"

namespace svc::sim::scenario {

using nlohmann::json;

namespace {

Said said_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value <= INT64_MAX);
  return fits ? Said(value.get<std::int64_t>()) : Said(value);
}

}  // namespace

std::optional<Record> record_of(const json& object) {
  if (!object.is_object()) return std::nullopt;
  std::vector<Record::Field> fields;
  for (const auto& [name, value] : object.items()) fields.emplace_back(name, said_of(value));
  return Record(std::move(fields));
}

void Fields::take(const Told& field, engine::Rational& to) {
  const auto parsed = engine::parse_rational(number_text(field));
  if (!parsed) fail(std::string(field.name) + " must be a decimal or a fraction such as 1/3: " + number_text(field));
  to = *parsed;
}

void Fields::take(const Told& field, std::int32_t& to) {
  const auto wide = get<std::int64_t>(field);
  to = static_cast<std::int32_t>(wide);
  if (to != wide) fail(std::string(field.name) + " does not fit 32 bits");
}

void Fields::take(const Told& field, Ppb& to) {
  const auto rate = get<engine::Rational>(field);
  const i128 scaled = static_cast<i128>(rate.num) * ppb_one;
  if (scaled % rate.den != 0) fail(std::string(field.name) + " is not a whole number of parts per billion");
  const i128 parts = scaled / rate.den;
  if (parts > ppb_one || parts < -ppb_one) fail(std::string(field.name) + " must be from -1 to 1");
  to = {narrow(parts)};
}

void Fields::take(const Told& field, std::vector<engine::MarginTier>& to) {
  to.clear();
  const auto* rows = std::get_if<json>(field.value);
  for (const json& row : rows != nullptr ? *rows : json::array({nullptr})) {
    const bool shape =
        row.is_array() && row.size() == 3 && row[0].is_string() && row[1].is_string() && row[2].is_string();
    if (!shape) fail("a tier is [lower notional, imr, mmr]");
    const auto lower = parse_scaled(row[0].get<std::string>(), usdx_decimals);
    const auto imr = engine::parse_rational(row[1].get<std::string>());
    const auto mmr = engine::parse_rational(row[2].get<std::string>());
    if (!lower || !imr || !mmr) fail("a tier holds decimals or fractions");
    to.push_back({{*lower}, *imr, *mmr});
  }
}

}  // namespace svc::sim::scenario
