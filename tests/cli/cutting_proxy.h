// A proxy between a client and a sandbox that drops the connection at a chosen point: before the first order, at a byte
// of it, or at a byte of its answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace svc::cli {

// How much of a message is delivered.
enum class Piece : std::uint8_t { nothing, first_byte, half_the_head, head, all_but_one_byte, everything };

struct CutPoint {
  enum class Where : std::uint8_t {
    look_up,  // while the client reads what it needs before the write
    entry,    // when its log has the intent, and before it connects
    request,  // after that piece of the order has arrived
    answer,   // after that piece of the order's answer was delivered
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
  // Forwards requests until the cut, calls `cut` there and drops the connection; later connections are refused. False
  // if the point was never reached. `log` is the folder of the client's log.
  [[nodiscard]] bool carry_until(const CutPoint& point, const std::filesystem::path& log, const std::string& client_id,
                                 const std::function<void()>& cut);

 private:
  [[nodiscard]] std::string exchange(const std::string& request) const;
  // Reads one message by its head and Content-Length; empty if the connection ended.
  [[nodiscard]] static std::string read_message(int socket);

  std::uint16_t server_;
  int listener_ = -1;
};

}  // namespace svc::cli
