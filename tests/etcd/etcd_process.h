// A real etcd for a test: one member, with its data in a folder that is deleted at the end. Each process of tests has
// an address of its own on loopback, where it meets no port of others. Needs the Debian package etcd-server, which
// scripts/setup installs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/etcd/etcd_client.h"
#include "sim/temporary_folder.h"

namespace svc::sim {

class EtcdProcess {
 public:
  explicit EtcdProcess(std::vector<std::string> flags = {}) : flags_(std::move(flags)) { start(); }
  EtcdProcess(const EtcdProcess&) = delete;
  EtcdProcess& operator=(const EtcdProcess&) = delete;
  ~EtcdProcess() { kill(); }

  // On the ports of before; returns when it answers.
  void start() {
    const std::string client = "http://" + host_ + ':' + std::to_string(port_);
    const std::string peer = "http://" + host_ + ':' + std::to_string(port_ + 1);
    std::vector<std::string> words{"etcd",
                                   "--name=one",
                                   "--data-dir=" + (folder_.path / "data").string(),
                                   "--listen-client-urls=" + client,
                                   "--advertise-client-urls=" + client,
                                   "--listen-peer-urls=" + peer,
                                   "--initial-advertise-peer-urls=" + peer,
                                   "--initial-cluster=one=" + peer};
    words.insert(words.end(), flags_.begin(), flags_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int log = ::open((folder_.path / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      ::dup2(log, STDOUT_FILENO);
      ::dup2(log, STDERR_FILENO);
      ::execvp("etcd", arguments.data());
      ::_exit(127);
    }
    EtcdClient client_of_it({member()}, dial_by_http());
    for (int tries = 0; tries < 3'000; ++tries) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = 0;
        break;
      }
      if (client_of_it.read({.key = "x"}, 1)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "etcd does not start; is the package etcd-server there? (scripts/setup)";
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }
  void lose_data() {
    kill();
    std::filesystem::remove_all(folder_.path / "data");
    start();
  }
  void pause() const { ::kill(process_, SIGSTOP); }
  void go_on() const { ::kill(process_, SIGCONT); }

  [[nodiscard]] api::HostPort member() const { return {.host = host_, .port = port_}; }
  [[nodiscard]] EtcdAddress address() const { return {.members = {member()}}; }

 private:
  static std::string address_of_this_process() {
    const auto id = static_cast<unsigned>(::getpid());
    std::string address = "127";
    for (const unsigned shift : {16u, 8u, 0u}) address += '.' + std::to_string((id >> shift) & 255u);
    return address;
  }
  // Two for each etcd.
  static std::uint16_t next_port() {
    static std::uint16_t next = 20'000;
    return std::exchange(next, static_cast<std::uint16_t>(next + 2));
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> flags_;
  const std::string host_ = address_of_this_process();
  const std::uint16_t port_ = next_port();
  pid_t process_ = 0;
};

}  // namespace svc::sim
