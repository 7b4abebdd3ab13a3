// A line between a client and a sandbox that breaks where it is told to: at a byte of the first order, of its answer,
// or before either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace svc::cli {

// How much of a message gets through.
enum class Piece : std::uint8_t { nothing, first_byte, half_the_head, head, all_but_one_byte, everything };

struct CutPoint {
  enum class Where : std::uint8_t {
    look_up,  // while the client reads what it needs before it writes
    entry,    // when its log has the intent, and nobody listens
    request,  // that piece of the order arrives
    answer,   // the order arrives, and that piece of its answer comes back
  };
  Where where;
  Piece piece = Piece::nothing;
};

class CuttingProxy {
 public:
  // Listens at once; `server` is a port of this machine.
  explicit CuttingProxy(std::uint16_t server);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  [[nodiscard]] std::string url() const;
  // Carries requests until the cut, calls `cut` there and then drops the line; whoever talks to it afterwards is
  // refused. False if it waited in vain for the cut. `log` is the folder of the client's log.
  [[nodiscard]] bool carry_until(const CutPoint& point, const std::filesystem::path& log, const std::string& client_id,
                                 const std::function<void()>& cut);

 private:
  [[nodiscard]] std::string exchange(const std::string& request) const;
  // Of one message, from a head and its Content-Length; empty if the line ended.
  [[nodiscard]] static std::string read_message(int socket);

  std::uint16_t server_;
  int listener_ = -1;
};

}  // namespace svc::cli
