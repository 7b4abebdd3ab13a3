#include "sim/control/venue_image.h"

#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/base64.h"
#include "base/hex.h"
#include "sim/control/control_body.h"
#include "sim/engine/digest.h"

namespace svc::sim {
namespace {

constexpr std::string_view document_format = "svc-sandbox-state";
constexpr std::int64_t document_version = 2;

std::string checksum_of(std::string_view bytes) {
  engine::Digest digest;
  digest.add_bytes(bytes);
  std::string text(16, '0');
  std::uint64_t rest = digest.value();
  for (std::size_t i = text.size(); i-- > 0; rest >>= 4) text[i] = "0123456789abcdef"[rest & 15];
  return text;
}

}  // namespace

std::size_t VenueImage::bytes() const {
  std::size_t sum = 0;
  for (const auto& [network, image] : networks) sum += image.size();
  return sum;
}

std::string to_document(const VenueImage& image) {
  const std::string bytes = to_archive(image);
  nlohmann::ordered_json document{{"format", document_format},      {"version", document_version},
                                  {"now_ms", image.at_ms},          {"sequence", image.sequence.value},
                                  {"checksum", checksum_of(bytes)}, {"state", to_base64(bytes)}};
  return document.dump();
}

Result<VenueImage, std::string> parse_document(std::string_view document) {
  const auto refuse = [](std::string why) { return unexpected(std::move(why)); };
  const auto body = ControlBody::parse(document);
  if (!body) return refuse(body.error());
  const auto format = body->text("format");
  if (!format || *format != document_format) return refuse("this is not the state of a sandbox");
  const auto version = body->integer("version");
  if (!version || *version != document_version)
    return refuse("this sandbox reads states of version " + std::to_string(document_version));
  const auto checksum = body->text("checksum");
  const auto state = body->text("state");
  const auto bytes = state ? parse_base64(*state) : std::nullopt;
  if (!checksum || !bytes || checksum_of(*bytes) != *checksum) return refuse("the state is damaged");
  auto image = from_archive<VenueImage>(*bytes);
  if (!image) return refuse("the state is damaged");
  return std::move(*image);
}

}  // namespace svc::sim
