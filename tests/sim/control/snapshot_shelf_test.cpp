// Named snapshots in a folder outlive the process.
#include "sim/control/controlled_venue.h"

#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace svc::sim {
namespace SVC_FILE {

class Shelf : public ::testing::Test {
 protected:
  Shelf() { std::filesystem::remove_all(folder_); }
  ~Shelf() override { std::filesystem::remove_all(folder_); }

  static std::shared_ptr<const VenueImage> image(TimestampMs at_ms) {
    return std::make_shared<const VenueImage>(
        VenueImage{.at_ms = at_ms, .sequence = {7}, .networks = {{"local", "bytes \x01\xff"}}});
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("svc-shelf-" + std::to_string(::getpid())) / "snapshots";
};

TEST_F(Shelf, SnapshotsAreFoundAfterARestart) {
  {
    SnapshotShelf shelf(folder_);
    ASSERT_TRUE(shelf.put("a", image(1)));
    ASSERT_TRUE(shelf.put("a", image(2)));
    ASSERT_TRUE(shelf.put("b", image(3)));
    EXPECT_TRUE(*shelf.remove("b"));
    EXPECT_FALSE(*shelf.remove("b"));
  }
  const SnapshotShelf again(folder_);
  ASSERT_EQ(again.rows().size(), 1u);
  const auto found = again.find("a");
  ASSERT_TRUE(found && found->image != nullptr);
  EXPECT_EQ(found->image->at_ms, 2);
  EXPECT_EQ(found->image->sequence, engine::Sequence{7});
  EXPECT_EQ(found->image->networks, image(2)->networks);
}

TEST_F(Shelf, APipeInThePlaceOfASnapshotIsListedAsDamagedAndNotWaitedFor) {
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(::mkfifo((folder_ / "pipe.json").c_str(), 0600), 0);
  const auto found = SnapshotShelf(folder_).find("pipe");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, nullptr);
  EXPECT_NE(found->problem, "");
}

TEST_F(Shelf, ADamagedSnapshotIsListedAsDamaged) {
  {
    SnapshotShelf shelf(folder_);
    ASSERT_TRUE(shelf.put("a", image(1)));
  }
  std::fstream file(folder_ / "a.json", std::ios::in | std::ios::out);
  std::string text(std::istreambuf_iterator<char>(file), {});
  file.clear();
  const std::size_t at = text.find("\"state\":\"") + 12;
  file.seekp(static_cast<std::streamoff>(at));
  file.put(text[at] == 'A' ? 'B' : 'A');
  file.close();
  SnapshotShelf again(folder_);
  const auto found = again.find("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, nullptr);
  EXPECT_EQ(found->problem, "the state is damaged");
  EXPECT_TRUE(again.put("a", image(5)));
  EXPECT_NE(again.find("a")->image, nullptr);
}

TEST_F(Shelf, OtherFilesInTheFolderAreLeftAlone) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "notes.txt") << "mine";
  std::ofstream(folder_ / ".hidden.json") << "mine";
  const SnapshotShelf shelf(folder_);
  EXPECT_TRUE(shelf.rows().empty());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "notes.txt"));
}

TEST_F(Shelf, AnUnwritableFolderRefusesTheSnapshot) {
  std::filesystem::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "a file where the folder should be";
  SnapshotShelf shelf(folder_);
  const auto kept = shelf.put("a", image(1));
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, api::ErrorCode::service_unavailable);
  EXPECT_FALSE(shelf.find("a"));
}

TEST_F(Shelf, ASnapshotWhoseFileCannotBeRemovedStaysAndTheAnswerSaysSo) {
  SnapshotShelf shelf(folder_);
  ASSERT_TRUE(shelf.put("a", image(1)));
  std::filesystem::remove(folder_ / "a.json");
  std::filesystem::create_directories(folder_ / "a.json" / "in the way");
  const auto removed = shelf.remove("a");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, api::ErrorCode::service_unavailable);
  EXPECT_TRUE(removed.error().message.starts_with("the snapshot was not deleted: its file cannot be removed: "))
      << removed.error().message;
  EXPECT_TRUE(shelf.find("a"));
}

// Files can be made, replaced and removed there, but the folder cannot be opened, and so not synced. root may open
// every folder, so this thread does without that.
class ShelfThatCannotBeSynced : public Shelf {
 protected:
  ShelfThatCannotBeSynced() {
    std::filesystem::create_directories(folder_);
    const bool is_root = ::geteuid() == 0;
    EXPECT_TRUE(!is_root || ::chown(folder_.c_str(), nobody, static_cast<gid_t>(-1)) == 0);
    before_ = static_cast<uid_t>(::setfsuid(nobody));
  }
  ~ShelfThatCannotBeSynced() override { ::setfsuid(before_); }

  void close_folder() const { std::filesystem::permissions(folder_, std::filesystem::perms(0300)); }
  [[nodiscard]] TimestampMs instant_after_a_restart() const {
    std::filesystem::permissions(folder_, std::filesystem::perms(0700));
    const auto found = SnapshotShelf(folder_).find("a");
    return found && found->image != nullptr ? found->image->at_ms : 0;
  }

 private:
  static constexpr uid_t nobody = 65'534;
  uid_t before_ = 0;
};

TEST_F(ShelfThatCannotBeSynced, ATakenSnapshotIsTheSameInMemoryAndOnDisk) {
  SnapshotShelf shelf(folder_);
  ASSERT_TRUE(shelf.put("a", image(1)));
  close_folder();
  const auto kept = shelf.put("a", image(2));
  ASSERT_FALSE(kept);
  EXPECT_TRUE(kept.error().message.starts_with("the snapshot was taken, but its folder cannot be synced"))
      << kept.error().message;
  EXPECT_EQ(shelf.find("a")->image->at_ms, 2);
  EXPECT_EQ(instant_after_a_restart(), 2);
}

TEST_F(ShelfThatCannotBeSynced, ADeletedSnapshotIsGoneAndTheAnswerSaysThatItMayComeBack) {
  SnapshotShelf shelf(folder_);
  ASSERT_TRUE(shelf.put("a", image(1)));
  close_folder();
  const auto removed = shelf.remove("a");
  ASSERT_FALSE(removed);
  EXPECT_TRUE(removed.error().message.starts_with("the snapshot was deleted, but its folder cannot be synced"))
      << removed.error().message;
  EXPECT_FALSE(shelf.find("a"));
  EXPECT_EQ(instant_after_a_restart(), 0);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
