// Headers of the API that people meet in logs, each with what it means.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace svc::cli {

enum class SentBy : std::uint8_t { client, server };

struct HeaderInfo {
  std::string_view name;
  SentBy by;
  std::string_view meaning;
};

[[nodiscard]] std::span<const HeaderInfo> header_catalog();
// Without case; nullptr if it is none of them.
[[nodiscard]] const HeaderInfo* find_header(std::string_view name);

}  // namespace svc::cli
