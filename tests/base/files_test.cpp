#include "base/files.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

namespace svc {
namespace SVC_FILE {

namespace fs = std::filesystem;

struct Files : testing::Test {
  Files() {
    std::string pattern = testing::TempDir() + "/svc-files-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(folder); }

  [[nodiscard]] std::ptrdiff_t count() const {
    const fs::directory_iterator entries(folder);
    return std::distance(begin(entries), end(entries));
  }

  fs::path folder;
};

TEST_F(Files, EachMissingFolderIsMadeForItsOwnerOnly) {
  for (const auto& [mask, first] : {std::pair<mode_t, const char*>{0, "a"}, {0177, "u"}}) {
    const mode_t before = ::umask(mask);
    EXPECT_EQ(make_folders(folder / first / "b" / "c"), fs::path());
    ::umask(before);
    for (const fs::path& made : {folder / first, folder / first / "b", folder / first / "b/c"})
      EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all) << made;
  }
  EXPECT_EQ(make_folders(folder / "a" / "b"), fs::path()) << "it is there";
  EXPECT_EQ(make_folders(""), fs::path());
}

TEST_F(Files, TheFolderThatCannotBeMadeIsNamed) {
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(make_folders(folder / "file" / "b" / "c"), folder / "file" / "b");
  EXPECT_EQ(errno, ENOTDIR);
}

TEST_F(Files, ANewOneReplacesTheFormer) {
  const fs::path file = folder / "file";
  std::ofstream(file) << "the former";
  const auto beside = write_beside(file, "the new one", 0640);
  ASSERT_TRUE(beside);
  EXPECT_EQ(file_text(file), "the former");
  ASSERT_TRUE(rename_over(*beside, file));
  EXPECT_EQ(file_text(file), "the new one");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(sync_folder(folder));
}

TEST_F(Files, WhatCannotBeReplacedLeavesNothingBehind) {
  const fs::path other = folder / "other";
  fs::create_directory(other);
  const auto beside = write_beside(other, "x", 0600);
  ASSERT_TRUE(beside);
  EXPECT_FALSE(rename_over(*beside, other));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(count(), 1);
  EXPECT_FALSE(write_beside(folder / "none" / "file", "x", 0600));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Files, ATextIsReadWholeAndAMissingFileIsEmpty) {
  const std::string text(100'000, 'x');
  std::ofstream(folder / "file") << text;
  EXPECT_EQ(file_text(folder / "file"), text);
  EXPECT_EQ(file_text(folder / "none"), "");
}

TEST_F(Files, WhatIsNoPlainFileIsEmptyAndNotWaitedFor) {
  EXPECT_EQ(file_text(folder), "");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(file_text(folder / "pipe"), "");
}

}  // namespace SVC_FILE
}  // namespace svc
