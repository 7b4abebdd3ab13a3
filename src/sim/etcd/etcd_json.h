// How etcd's JSON gateway writes numbers, bytes and errors. For the files of this folder.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/etcd/etcd_client.h"

namespace svc::sim::etcd_json {

// A whole number of 64 bits, written as a text; 0 is left out. The caller checks `is_valid`.
[[nodiscard]] std::int64_t integer(const nlohmann::json& object, std::string_view name, bool& is_valid);
[[nodiscard]] std::string bytes(const nlohmann::json& object, std::string_view name, bool& is_valid);
[[nodiscard]] EtcdKeyValue row(const nlohmann::json& object, bool& is_valid);

// The fields of a range, each with a comma behind it.
void add_range(std::string& body, const EtcdRange& range);

// The error of an answer that is not 200, or of a message in a stream.
[[nodiscard]] EtcdError error(const nlohmann::json& answer, std::string_view text);
[[nodiscard]] EtcdError unclear(std::string_view path);

}  // namespace svc::sim::etcd_json
