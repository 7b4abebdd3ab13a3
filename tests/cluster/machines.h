// Three etcd members and the nodes of one exchange on them, as processes that can be killed, paused and cut off.
//
// On loopback, with ports that the system chose; or each in a network namespace of its own, with a bridge between
// them. Namespaces need a caller that may make them: root, or the root of a user namespace, in a network namespace of
// its own (unshare --net). They end with this.
//
// One thread at a time, and the thread that made it must outlive it: the processes end with it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/url.h"
#include "base/result.h"
#include "base/secret.h"
#include "sim/etcd/etcd_client.h"

namespace svc::cluster {

class Machines {
 public:
  enum class Wiring : std::uint8_t { loopback, namespaces };
  struct Terms {
    std::filesystem::path svc{};
    std::filesystem::path folder{};  // of what they keep; exists
    Wiring wiring = Wiring::loopback;
    std::size_t nodes = 3;
    std::vector<std::string> flags{};  // more of `svc serve`
  };
  // Returns when all of them answer. The error is one line.
  [[nodiscard]] static Result<std::unique_ptr<Machines>, std::string> start(Terms terms);
  explicit Machines(Terms terms);  // used by start() only
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;
  ~Machines();

  static constexpr std::size_t member_count = 3;
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  [[nodiscard]] const std::string& name_of(std::size_t node) const { return nodes_[node].name; }
  // The node of that name; nullopt: there is none.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
  [[nodiscard]] api::Url url(std::size_t node) const;
  [[nodiscard]] std::string state() const;  // etcd://...
  [[nodiscard]] pid_t process_of(std::size_t node) const { return nodes_[node].process; }
  [[nodiscard]] pid_t process_of_member(std::size_t member) const { return members_[member].process; }
  // What opens the control surface from elsewhere.
  [[nodiscard]] const Secret& control_token() const { return token_; }

  // The node that leads, as etcd has it. The error says why none is known.
  [[nodiscard]] Result<std::size_t, std::string> leader() const;

  void kill_node(std::size_t node) { end(nodes_[node]); }
  void kill_member(std::size_t member) { end(members_[member]); }
  // Returns when it answers.
  [[nodiscard]] Result<void, std::string> start_node(std::size_t node);
  // Does not wait for the others that it needs.
  [[nodiscard]] Result<void, std::string> start_member(std::size_t member);
  void pause_node(std::size_t node) const;
  void go_on(std::size_t node) const;

  // Nothing passes between the two any more; nothing is refused either.
  [[nodiscard]] Result<void, std::string> cut_nodes(std::size_t node, std::size_t other);
  [[nodiscard]] Result<void, std::string> cut_from_members(std::size_t node);
  [[nodiscard]] Result<void, std::string> heal();

 private:
  struct Machine {
    std::string name;
    std::string host;
    std::uint16_t port = 0;
    std::uint16_t peer_port = 0;  // of a member, for the others
    pid_t process = 0;
    int network = -1;  // its namespace; -1: ours
  };
  enum class Passing : bool { no, yes };

  [[nodiscard]] Result<void, std::string> prepare();
  [[nodiscard]] Result<void, std::string> wait_for_members() const;
  [[nodiscard]] sim::EtcdClient members() const;
  [[nodiscard]] Result<void, std::string> make_network(Machine& machine, std::size_t number);
  void run(Machine& machine, std::vector<std::string> words) const;
  void end(Machine& machine) const;
  [[nodiscard]] Result<void, std::string> ip(int network, std::vector<std::string> words) const;
  [[nodiscard]] Result<void, std::string> pass(const Machine& one, const Machine& other, Passing passing) const;
  [[nodiscard]] std::filesystem::path log_of(const Machine& machine) const;

  const Terms terms_;
  Secret token_;
  std::vector<Machine> members_;
  std::vector<Machine> nodes_;
  std::vector<std::pair<const Machine*, const Machine*>> cuts_;
};

}  // namespace svc::cluster
