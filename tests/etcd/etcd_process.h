// A real etcd for a test: one member on loopback, with its data in a folder that is deleted at the end. Needs the
// Debian package etcd-server, which scripts/setup installs.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "sim/etcd/etcd_client.h"
#include "sim/temporary_folder.h"

namespace svc::sim {

class EtcdProcess {
 public:
  explicit EtcdProcess(std::vector<std::string> flags = {}) : flags_(std::move(flags)) {
    // A port that was free may be another process's by now.
    for (int tries = 1; tries < 3; ++tries) {
      if (answers()) return;
      std::filesystem::remove_all(folder_.path / "data");
      port_ = free_port();
      peer_port_ = free_port();
    }
    start();
  }
  EtcdProcess(const EtcdProcess&) = delete;
  EtcdProcess& operator=(const EtcdProcess&) = delete;
  ~EtcdProcess() { kill(); }

  // On the ports of before; returns when it answers.
  void start() {
    if (!answers()) ADD_FAILURE() << "etcd does not start; is the package etcd-server there? (scripts/setup)";
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }
  void pause() const { ::kill(process_, SIGSTOP); }
  void go_on() const { ::kill(process_, SIGCONT); }

  [[nodiscard]] api::HostPort member() const { return {.host = "127.0.0.1", .port = port_}; }
  [[nodiscard]] EtcdAddress address() const { return {.members = {member()}}; }

 private:
  // Starts it. False if it has ended, or does not answer.
  [[nodiscard]] bool answers() {
    const std::string client = "http://127.0.0.1:" + std::to_string(port_);
    const std::string peer = "http://127.0.0.1:" + std::to_string(peer_port_);
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
        return false;
      }
      if (client_of_it.read({.key = "x"}, 1)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  // One that the system chose, and that is free again now.
  static std::uint16_t free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&place), size), 0);
    EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size), 0);
    ::close(socket);
    return ntohs(place.sin_port);
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> flags_;
  std::uint16_t port_ = free_port();
  std::uint16_t peer_port_ = free_port();
  pid_t process_ = 0;
};

}  // namespace svc::sim
