#include "sim/control/ready_report.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/decimal.h"

namespace svc::sim {
namespace {

using Json = nlohmann::ordered_json;

std::string authority(const ReadyReport& report) {
  const bool is_v6 = report.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + report.host + "]" : report.host) + ":" + std::to_string(report.port);
}

Json accounts_document(const std::vector<DevAccount>& accounts) {
  Json list = Json::array();
  for (const DevAccount& account : accounts)
    list.push_back({{"index", account.index},
                    {"address", to_string(account.address)},
                    {"private_key", account.private_key},
                    {"balance", format_usdx(account.balance)}});
  return list;
}

std::string failure(const char* verb, const std::filesystem::path& path) {
  return std::string("cannot ") + verb + " " + path.string() + ": " + std::strerror(errno);
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string ReadyReport::url() const {
  return "http://" + authority(*this);
}
std::string ReadyReport::ws() const {
  return "ws://" + authority(*this) + "/v1";  // where every network has its streams
}
std::string ReadyReport::control() const {
  return url() + "/_svc";
}

std::string to_json(const ReadyReport& report) {
  Json document{{"name", report.name},
                {"url", report.url()},
                {"ws", report.ws()},
                {"control", report.control()},
                {"network", report.network},
                {"deployment", report.deployment},
                {"domain_name", report.domain_name},
                {"pid", report.pid},
                {"seed", report.seed},
                {"accounts", accounts_document(report.accounts)}};
  for (const ServedNetwork& served : report.networks)
    document["networks"].push_back({{"network", served.network},
                                    {"url", "http://" + served.host + ":" + std::to_string(report.port)},
                                    {"host", served.host + ":" + std::to_string(report.port)},
                                    {"deployment", served.deployment},
                                    {"domain_name", served.domain_name}});
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const std::vector<DevAccount>& accounts) {
  return accounts_document(accounts).dump();
}

Result<void, std::string> write_whole_file(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) {
    const auto folder = path.parent_path();
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) {
      if (std::filesystem::create_directories(folder, error); error)
        return unexpected("cannot create " + folder.string() + ": " + error.message());
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
  }
  // The process id keeps two sandboxes that report to one path from writing one temporary file.
  std::filesystem::path partial = path;
  partial += "." + std::to_string(::getpid()) + ".part";
  const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (fd < 0) return unexpected(failure("write", partial));
  const bool written = write_all(fd, text) && ::fsync(fd) == 0;
  if (!written) {
    auto error = failure("write", partial);
    ::close(fd);
    ::unlink(partial.c_str());
    return unexpected(std::move(error));
  }
  ::close(fd);
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    auto error = failure("rename to", path);
    ::unlink(partial.c_str());
    return unexpected(std::move(error));
  }
  return {};
}

}  // namespace svc::sim
