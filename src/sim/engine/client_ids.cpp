#include "sim/engine/client_ids.h"

#include <algorithm>

#include "sim/engine/state.h"

namespace svc::engine {

ClientIds::Key ClientIds::key_of(AccountIndex account, const ClientId& id) {
  Digest high(1);
  Digest low(2);
  high.add(account.value);
  low.add(account.value);
  high.add(id.text());
  low.add(id.text());
  return {high.value(), low.value()};
}

std::optional<OrderId> ClientIds::find(AccountIndex account, const ClientId& id) const {
  const auto found = used_.find(key_of(account, id));
  if (found == used_.end()) return std::nullopt;
  return found->second;
}

void ClientIds::assign(AccountIndex account, const ClientId& id, OrderId order) {
  const Key key = key_of(account, id);
  used_[key] = order;
  Digest digest(digest_);
  digest.add(key.high);
  digest.add(key.low);
  digest.add(order.value);
  digest_ = digest.value();
}

std::vector<ClientIds::Use> ClientIds::uses() const {
  std::vector<Use> uses;
  uses.reserve(used_.size());
  for (const auto& [key, order] : used_) uses.push_back({key, order});
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.key < b.key; });
  return uses;
}

}  // namespace svc::engine
