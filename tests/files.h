// Files of the checkout that hold what the program says.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "surroundings.h"

namespace svc::test {

// Compares the text with that file of the checkout. SVC_UPDATE_GOLDEN=1 rewrites the file instead.
inline void expect_generated(const std::string& name, const std::string& text) {
  const std::filesystem::path file = source_folder() / name;
  if (std::getenv("SVC_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, file_text(file)) << "differs from " << file << "; SVC_UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace svc::test
