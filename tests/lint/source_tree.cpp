#include "lint/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "surroundings.h"

namespace svc::lint {
namespace fs = std::filesystem;

std::vector<SourceFile> read_tree(const std::string& folder, const std::vector<std::string>& endings) {
  const fs::path root = test::source_folder();
  std::vector<SourceFile> files;
  if (!fs::exists(root / folder)) return files;
  auto walk = fs::recursive_directory_iterator(root / folder);
  for (const auto& entry : walk) {
    const std::string path = fs::relative(entry.path(), root).generic_string();
    if (entry.is_directory() && (entry.path().filename() == "node_modules" || entry.path().filename() == "build")) {
      walk.disable_recursion_pending();
      continue;
    }
    const bool wanted = entry.is_regular_file() && std::any_of(endings.begin(), endings.end(), [&](const auto& ending) {
                          return path.ends_with(ending);
                        });
    if (!wanted) continue;
    SourceFile file{path, {}};
    std::ifstream in(entry.path());
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) file.lines.push_back({number, text});
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::string place(const SourceFile& file, const Line& line) {
  return file.path + ":" + std::to_string(line.number);
}

}  // namespace svc::lint
