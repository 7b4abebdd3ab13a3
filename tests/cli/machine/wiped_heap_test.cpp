// Freed memory is wiped: tokens pass through documents and buffers that do not wipe themselves.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "cli/machine/environment.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(WipedHeap, KeepsNoFreedContent) {
  wipe_freed_memory();
  auto text = std::make_unique<std::string>(4'000, 's');
  const auto place = reinterpret_cast<std::uintptr_t>(text->data());
  const auto held = [&] {
    std::ifstream memory("/proc/self/mem", std::ios::binary);
    std::string bytes(4'000, '\0');
    memory.seekg(static_cast<std::streamoff>(place));
    memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EXPECT_TRUE(memory.good());
    return bytes;
  };
  EXPECT_EQ(held().find(std::string(64, 's')), 0u);
  text.reset();
  EXPECT_EQ(held().find(std::string(64, 's')), std::string::npos);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
