#include "cli/machine/private_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/files.h"
#include "cli/program.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(PrivateFile, ALinkStaysAndItsTargetIsReplaced) {
  const FreshHome folder;
  const std::filesystem::path target = folder.path() / "dotfiles", link = folder.path() / "svc/config";
  ASSERT_TRUE(make_private_folder(folder.path() / "svc").has_value());
  std::filesystem::create_symlink("../dotfiles", link);
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(write_private(link, text).has_value());
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(file_text(target), text);
  }
}

TEST(GivenFile, IsReplacedWithItsMode) {
  const FreshHome folder;
  const std::filesystem::path file = folder.path() / "file", link = folder.path() / "link";
  std::ofstream(file) << "old";
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  std::filesystem::create_symlink(file, link);
  ASSERT_TRUE(replace_given(link, "new").has_value());
  EXPECT_EQ(file_text(file), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = replace_given(pipe, "new");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().exit, ExitCode::usage);
  const std::filesystem::directory_iterator entries(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 3) << "no temporary file is left";
}

// Otherwise root would replace a device by a file.
TEST(PrivateFile, ALinkToWhatIsNoPlainFileIsNotFollowed) {
  const FreshHome folder;
  const std::filesystem::path pipe = folder.path() / "pipe", link = folder.path() / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, link);
  EXPECT_FALSE(write_private(link, "text").has_value());
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

// Only root can make somebody else's link.
TEST(LinkTarget, IsNoStrangersTrapInASharedFolder) {
  const FreshHome home;
  const std::filesystem::path folder = home.path() / "shared";
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink("own", folder / "link");
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);
  EXPECT_EQ(link_target(folder / "link"), folder / "own") << "ours";
  constexpr uid_t stranger = 65'534;
  const bool is_strange = ::lchown((folder / "link").c_str(), stranger, stranger) == 0;
  EXPECT_EQ(link_target(folder / "link"), folder / (is_strange ? "link" : "own"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
