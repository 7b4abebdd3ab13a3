#include "sim/pending_revert.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/control/ready_report.h"

namespace svc::sim {
namespace {

using Json = nlohmann::ordered_json;

bool sync_folder(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced;
}

}  // namespace

bool PendingRevert::write(const VenueImage& image, const Positions& positions) const {
  const std::string text = Json{{"positions", positions}}.dump() + '\n' + to_document(image) + '\n';
  return write_whole_file(path_, text) && sync_folder(path_.parent_path());
}

Result<std::optional<std::pair<VenueImage, PendingRevert::Positions>>, std::string> PendingRevert::read() const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return std::optional<std::pair<VenueImage, Positions>>();
  const std::string damaged = path_.string() + " is damaged; put back a copy of the folder";
  std::string line;
  std::getline(file, line);
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("positions")) return unexpected(damaged);
  Positions positions;
  for (const auto& [network, position] : header["positions"].items()) {
    if (!position.is_number_unsigned()) return unexpected(damaged);
    positions.emplace(network, position.get<std::uint64_t>());
  }
  const std::string document{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto image = parse_document(document);
  if (!image) return unexpected(path_.string() + ": " + image.error());
  return std::optional(std::pair(std::move(*image), std::move(positions)));
}

void PendingRevert::remove() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace svc::sim
