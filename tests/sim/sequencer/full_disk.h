// Simulates a full disk for this process: while this object lives, no file may grow beyond so many bytes.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace svc::sim {

class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes = 1) {
    former_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, former_);
  }

 private:
  rlimit before_{};
  void (*former_)(int) = nullptr;
};

}  // namespace svc::sim
