// A library of the system that is loaded when it is first needed: who does not need it does not pay for it.
#pragma once

#include <dlfcn.h>

namespace svc {

// Stays loaded until the process ends.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

  // True if the library is there, with every function that was looked for.
  [[nodiscard]] bool is_whole() const { return handle_ != nullptr && !lacks_; }

  // A function, of the type that is asked for.
  struct Symbol {
    void* place = nullptr;

    template <class Function>
    operator Function() const {
      return reinterpret_cast<Function>(place);
    }
  };
  [[nodiscard]] Symbol find(const char* name) {
    void* const place = handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
    lacks_ = lacks_ || place == nullptr;
    return {place};
  }

 private:
  void* handle_;
  bool lacks_ = false;
};

}  // namespace svc
