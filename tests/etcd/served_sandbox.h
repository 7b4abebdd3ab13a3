// A sandbox on an etcd, in a process of its own that does not outlive this one.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/http/http_client.h"
#include "base/files.h"
#include "etcd/etcd_process.h"
#include "sim/child_process.h"
#include "sim/sim.h"

namespace svc::sim {

class ServedSandbox {
 public:
  using Json = nlohmann::json;

  ServedSandbox(const EtcdProcess& etcd, std::string name, FlowKind flow, ClockMode clock) {
    options.port = 0;
    options.accounts = 2;
    options.name = std::move(name);
    options.flow = flow;
    options.clock = {clock};
    options.etcd = etcd.address();
  }
  ServedSandbox(const ServedSandbox&) = delete;
  ServedSandbox& operator=(const ServedSandbox&) = delete;

  // Returns when it is ready, or was refused: then url() is empty, and error() says why. One that etcd answered too
  // late is started again, as a service manager does.
  void start() {
    for (int tries = 0; tries < 3; ++tries) {
      const std::string line = process_.start([this](int ready_fd) {
        options.ready_fd = ready_fd;
        const auto drop = [](std::string_view text) { return text.size(); };
        const auto served = serve(options, drop, drop);
        std::ofstream(folder_.path / "error") << (served ? "" : served.error());
        return served ? 0 : refused_status;
      });
      const Json report = line.empty() ? Json::object() : Json::parse(line);
      url_ = report.value("url", "");
      domain_name_ = report.value("domain_name", "");
      if (!url_.empty()) return;
      const int status = process_.wait();
      if (!WIFEXITED(status) || WEXITSTATUS(status) != refused_status) {
        ADD_FAILURE() << name() << " ended with " << status;
        return;
      }
    }
  }
  // Its status as waitpid() tells it.
  int end(int signal) { return process_.end(signal); }
  void stop() const { process_.send(SIGSTOP); }
  void go_on() const { process_.send(SIGCONT); }

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const std::string& domain_name() const { return domain_name_; }
  [[nodiscard]] std::string error() const { return file_text(folder_.path / "error"); }

  // The document of the answer with its status, 0 if there was none.
  [[nodiscard]] Json ask(const std::string& method, const std::string& target, const std::string& body = "") const {
    if (url_.empty()) return {{"error", error()}, {"status_code", 0}};
    api::HttpClient client({.dial = {.origin = *api::parse_url(url_)}});
    const auto answer = client.send({.method = method, .target = target, .headers = {}, .body = body});
    if (!answer) return {{"error", answer.error().reason}, {"status_code", 0}};
    Json document = Json::parse(answer->body, nullptr, false);
    if (document.is_discarded()) document = {{"error", answer->body}};
    if (document.is_object()) document["status_code"] = answer->status;
    return document;
  }
  // Whether a minute passed.
  [[nodiscard]] bool let_time_pass() const {
    return ask("POST", "/_svc/time", R"({"advance_ms":60000})")["status_code"] == 200;
  }
  [[nodiscard]] Json status() const { return ask("GET", "/_svc/status"); }
  [[nodiscard]] Json now() const { return ask("GET", "/_svc/time")["now_ms"]; }
  [[nodiscard]] const std::string& name() const { return options.name; }

  SandboxOptions options;

 private:
  static constexpr int refused_status = 9;

  TemporaryFolder folder_;
  std::string url_;
  std::string domain_name_;
  test::ChildProcess process_;
};

}  // namespace svc::sim
