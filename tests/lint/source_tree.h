// The project's own files, read as text, for the rules that no compiler checks.
#pragma once

#include <string>
#include <vector>

namespace svc::lint {

struct Line {
  int number = 0;
  std::string text;
};

struct SourceFile {
  std::string path;  // relative to the root, with '/'
  std::vector<Line> lines;
};

// Every file below `folder` (relative to the root) whose name ends in one of `endings`, by path.
[[nodiscard]] std::vector<SourceFile> read_tree(const std::string& folder, const std::vector<std::string>& endings);

// "path:line" for messages.
[[nodiscard]] std::string place(const SourceFile& file, const Line& line);

}  // namespace svc::lint
