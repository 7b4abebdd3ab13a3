// Every answer of an in-process exchange as a line of JSON, in the file named by SVC_ANSWERS. Tests that
// hold them against the interface description read it (tests/interop/answers.mjs).
#pragma once

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>

#include "api/http/http_message.h"
#include "base/json_text.h"

namespace svc::contract {

// `target` as it was sent.
inline void record_answer(const std::string& method, const std::string& target, const std::string& request_body,
                          const api::HttpResponse& response) {
  static const char* const file = std::getenv("SVC_ANSWERS");
  if (file == nullptr) return;
  std::string line;
  JsonWriter json(line);
  json.begin_object().key("method").text(method).key("target").text(target);
  json.key("status").integer(response.status).key("request").text(request_body).key("answer").text(response.body);
  json.end_object();
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::ofstream(file, std::ios::app) << line << '\n';
}

}  // namespace svc::contract
