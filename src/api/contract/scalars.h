// A list on the wire: a bare array, and the next cursor in a header, which is absent on the last page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/record.h"

namespace svc::api {

template <class T>
struct Page {
  std::vector<T> rows{};
  std::optional<std::string> next_cursor{};

  static constexpr FieldInfo fields[] = {
      field<&Page::rows>("rows", "The rows, in the order the operation promises").whole_body(),
      field<&Page::next_cursor>("X-Next-Cursor", "Where the next page starts; absent on the last")
          .header()
          .omit_when_empty()};
};

// A page of a list without cursor.
template <class T>
struct List {
  std::vector<T> rows{};

  static constexpr FieldInfo fields[] = {
      field<&List::rows>("rows", "The rows, in the order the operation promises").whole_body()};
};

}  // namespace svc::api
