// Named snapshots in a folder outlive the process.
#include "sim/control/controlled_venue.h"

#include <gtest/gtest.h>
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

}  // namespace SVC_FILE
}  // namespace svc::sim
