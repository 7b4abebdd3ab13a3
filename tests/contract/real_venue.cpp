#include "contract/real_venue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <thread>
#include <utility>

#include "api/operation_table.h"
#include "base/assert.h"
#include "contract/sample_request.h"
#include "contract/venue.h"
#include "signing/action_request.h"
#include "signing/domain.h"
#include "signing/key.h"

namespace svc::contract {
namespace {

using Json = nlohmann::json;

constexpr const char* market = "BTC-USDX-PERP";
constexpr const char* deployment = "svc-local";
constexpr const char* domain_name = "Svc Exchange";

sim::SandboxOptions options(std::uint32_t limits_multiplier) {
  sim::SandboxOptions options;
  options.clock = {sim::ClockMode::manual};
  options.limits = {.multiplier = limits_multiplier};
  options.faucet = true;
  options.bare_streams = true;  // so that every route is at one base
  options.seed = 2026;          // what is shown as an example is no secret of a sandbox with the usual seed
  options.admin_secret = Secret(std::string(admin_secret));
  return options;
}

std::string text_of(const Json& body, const char* name) {
  const auto found = body.find(name);
  return found != body.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

RealVenue::RealVenue(Site site, std::uint32_t limits_multiplier)
    : sandbox_(site, options(limits_multiplier)), alice_(admit(0, '8')), bob_(admit(1, '9')), carol_(admit(2, '7')) {
  trade();
}

api::HttpRequest RealVenue::signed_as_it_stands(const api::Operation& operation, api::HttpRequest request) const {
  using enum api::Auth;
  if (operation.auth.has(hmac)) return client_.with_key(std::move(request), alice_);
  if (operation.auth.has(bearer)) return client_.with_bearer(std::move(request), alice_.session);
  if (operation.auth.has(admin)) return client_.with_bearer(std::move(request), admin_secret);
  return request;
}

api::HttpResponse RealVenue::send(api::HttpRequest request) {
  return sandbox_.any_node().handle(std::move(request));
}

std::vector<api::HttpResponse> RealVenue::send_to_all(const api::HttpRequest& request) {
  (void)sandbox_.any_node();  // all are level
  const auto nodes = sandbox_.nodes();
  std::vector<api::HttpResponse> answers(nodes.size());
  std::barrier start(static_cast<std::ptrdiff_t>(nodes.size()));
  std::vector<std::jthread> senders;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    senders.emplace_back([&, i] {
      start.arrive_and_wait();
      answers[i] = nodes[i]->handle(request);
    });
  senders.clear();
  return answers;
}

api::HttpRequest RealVenue::order_with_action() {
  api::HttpRequest request = sample_request(*api::find_operation("place_order"), false);
  request.body = order("Buy", "0.01", "55000").dump();
  return client_.with_action(client_.with_key(std::move(request), alice_), alice_, {.nonce = next_nonce()});
}

api::HttpRequest RealVenue::order_with_client_id() {
  api::HttpRequest request = sample_request(*api::find_operation("place_order"), false);
  Json body = order("Buy", "0.01", "55000");
  body["client_id"] = "once-" + std::to_string(next_nonce());
  request.body = body.dump();
  return client_.with_key(std::move(request), alice_);
}

bool RealVenue::opens_stream(const api::HttpRequest& request) {
  bool opened = false;
  api::HttpRequest upgrade = request;
  upgrade.headers.set("Host", "localhost");
  upgrade.headers.set("Connection", "Upgrade");
  upgrade.headers.set("Upgrade", "websocket");
  upgrade.headers.set("Sec-WebSocket-Version", "13");
  upgrade.headers.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  std::string head = "GET " + request.target + " HTTP/1.1\r\n";
  for (const api::Header& field : upgrade.headers)
    head.append(field.name).append(": ").append(field.value).append("\r\n");
  sandbox_.any_node().upgrade(std::move(upgrade), head + "\r\n",
                              {.refuse = [](api::HttpResponse response) { ADD_FAILURE() << response.body; },
                               .accept = [&](const sim::StreamOpened&) { opened = true; }});
  return opened;
}

Json RealVenue::control(std::string_view path, const Json& body) {
  const auto response =
      send({.method = "POST", .target = "/_svc" + std::string(path), .headers = {}, .body = body.dump()});
  EXPECT_EQ(response.status, 200) << path << " " << response.body;
  return Json::parse(response.body, nullptr, false);
}

std::vector<Json> RealVenue::look_everywhere(std::string_view path) {
  std::vector<Json> seen;
  for (sim::Sandbox* node : sandbox_.nodes())
    seen.push_back(Json::parse(
        node->handle({.method = "GET", .target = std::string(path), .headers = {}, .body = {}}).body, nullptr, false));
  return seen;
}

Json RealVenue::order(std::string_view side, std::string_view quantity, std::string_view price) const {
  return {{"market_id", market},  {"side", side},   {"order_type", "Limit"},
          {"quantity", quantity}, {"price", price}, {"time_in_force", "GTC"}};
}

Participant RealVenue::admit(std::size_t index, char agent_digit) {
  const auto wallet = signing::PrivateKey::from_hex(sandbox_.accounts().at(index).private_key);
  SVC_ASSERT(wallet);
  Participant who{.wallet = *wallet, .agent = key_of(agent_digit), .key_id = {}, .key_secret = {}, .session = {}};
  who.session = text_of(call("login", who, {}), "token");
  const Json key = call("create_key", who, {});
  who.key_id = text_of(key, "key_id");
  who.key_secret = text_of(key, "secret");
  return who;
}

// Fills, a position of each mode, a closed one, history, funding, money in and out.
void RealVenue::trade() {
  call("place_order", bob_, {.body = order("Sell", "0.3", "60000")});
  call("place_order", alice_, {.body = order("Buy", "0.2", "60000")});
  call("place_order", bob_, {.body = order("Buy", "0.1", "59990")});
  call("place_order", alice_, {.body = order("Sell", "0.05", "59990")});
  Json eth = order("Sell", "1", "3000");
  eth["market_id"] = "ETH-USDX-PERP";
  call("place_order", bob_, {.body = eth});
  call("set_margin_mode", alice_, {.body = {{"market_id", "ETH-USDX-PERP"}, {"margin_mode", "isolated"}}});
  eth["side"] = "Buy";
  call("place_order", alice_, {.body = eth});
  Json sol = order("Sell", "10", "150");
  sol["market_id"] = "SOL-USDX-PERP";
  call("place_order", bob_, {.body = sol});
  sol["side"] = "Buy";
  call("place_order", alice_, {.body = sol});
  call("place_order", bob_, {.body = sol});
  sol["side"] = "Sell";
  call("place_order", alice_, {.body = sol});  // closed again
  control("/time", {{"advance_ms", 2 * hour_ms}});
}

std::string RealVenue::resting_order() {
  const Json placed = call("place_order", alice_, {.body = order("Buy", "0.01", "55000")});
  return placed.contains("order") ? text_of(placed["order"], "id") : "";
}

Json RealVenue::call(std::string_view operation, const Participant& who, const Wanted& wanted) {
  const api::OperationEntry* entry = api::find_operation(operation);
  SVC_ASSERT(entry != nullptr);
  const auto response = send(build(*entry, false, wanted, who));
  EXPECT_EQ(response.status, entry->operation->success) << operation << " " << response.body;
  return Json::parse(response.body, nullptr, false);
}

std::string RealVenue::action_signature(const Participant& who, const signing::Hash32& struct_hash) const {
  const auto separator = signing::separator(signing::action_domain(domain_name));
  return to_string(who.wallet.sign(signing::typed_data_digest(separator, struct_hash)));
}

api::HttpRequest RealVenue::with_owner(api::HttpRequest request, const Participant& who,
                                       const api::Operation& operation) {
  const auto now_ms = static_cast<std::uint64_t>(sandbox_.clock().now_ms());
  const std::uint64_t nonce = next_nonce();
  const auto asked = operation.owner(
      {.method = request.method, .path = request.path(), .query = request.query(), .body = request.body},
      {.timestamp_ms = now_ms, .nonce = nonce});
  SVC_ASSERT(asked);
  request.headers.set("X-Timestamp", std::to_string(now_ms));
  request.headers.set("X-Nonce", std::to_string(nonce));
  request.headers.set("X-Signature", action_signature(who, asked->hash));
  return request;
}

api::HttpRequest RealVenue::build(const api::OperationEntry& entry, bool twin, const Wanted& wanted,
                                  const Participant& who) {
  using enum api::Auth;
  const api::Operation& operation = *entry.operation;
  api::HttpRequest request = sample_request(entry, twin);
  if (!wanted.path_value.empty()) {
    request.target = std::string(twin ? api::twin_prefix : "") + std::string(operation.path);
    const auto brace = request.target.find('{');
    SVC_ASSERT(brace != std::string::npos);
    request.target.replace(brace, request.target.find('}') + 1 - brace, wanted.path_value);
  }
  const bool has_pages = std::ranges::any_of(entry.request().fields, [](const api::FieldInfo& field) {
    return field.in == api::In::query && field.name == "limit";
  });
  // Owners sign the page as well.
  const bool small_page = has_pages && !operation.auth.has(owner_signature);
  if (!wanted.query.empty())
    request.target = std::string(request.path()) + '?' + wanted.query;
  else if (small_page)
    request.target += std::string(request.query().empty() ? "?" : "&") + "limit=2";
  if (!wanted.body.is_null()) request.body = wanted.body.dump();
  for (const api::Header& field : wanted.headers) request.headers.set(field.name, field.value);

  if (operation.name == "login") request.body = login_body(who.wallet, domain_name);
  if (operation.auth.has(hmac)) return client_.with_key(std::move(request), who);
  if (operation.auth.has(bearer)) return client_.with_bearer(std::move(request), who.session);
  if (operation.auth.has(admin)) return client_.with_bearer(std::move(request), admin_secret);
  if (operation.auth.has(owner_signature)) return with_owner(std::move(request), who, operation);
  return request;
}

RealVenue::Wanted RealVenue::wanted_for(const api::Operation& operation) {
  const std::string_view name = operation.name;
  const std::string own = to_string(alice_.account());
  const Json isolated{{"market_id", "ETH-USDX-PERP"}, {"margin_mode", "isolated"}};
  const auto registration = [&] {
    const TimestampMs expires_ms = sandbox_.clock().now_ms() + 7 * day_ms;
    const std::uint64_t nonce = next_nonce();
    const std::string digits = std::to_string(nonce);
    const Address agent = *parse_address("0x" + std::string(40 - digits.size(), 'a') + digits);
    const auto hash = signing::struct_hash(signing::RegisterAgent{
        .agent = agent, .expires_at_ms = static_cast<std::uint64_t>(expires_ms), .nonce = nonce});
    const auto separator =
        signing::separator(signing::registration_domain(domain_name, signing::action_chain_id, "local"));
    return Json{
        {"wallet", own},  {"agent", to_string(agent)},
        {"nonce", nonce}, {"expires_at", expires_ms},
        {"label", "bot"}, {"signature", to_string(alice_.wallet.sign(signing::typed_data_digest(separator, hash)))}};
  };
  const auto enroll = [&] {
    for (const Participant* who : {&carol_, &bob_})
      call("enroll_transfers", *who, {.body = {{"account", to_string(who->account())}, {"domain", deployment}}});
  };
  const std::string payer = to_string(carol_.account());
  const auto payment = [&] {
    return Json{{"account", payer},
                {"domain", deployment},
                {"recipient", to_string(bob_.account())},
                {"amount", "1"},
                {"client_transfer_id", "pay-" + std::to_string(next_nonce())}};
  };
  const auto bridge_withdrawal = [&] {
    return Wanted{.body = {{"amount", "20000000"}},
                  .headers = {{"Idempotency-Key", "key-" + std::to_string(next_nonce())}}};
  };
  const auto bridge_deposit = [&] {
    const Json sent = control("/bridge/deposits", {{"account", own}, {"amount", "25"}});
    return text_of(sent, "id");
  };

  if (name == "delete_key") return {.path_value = text_of(call("create_key", alice_, {}), "key_id")};
  if (name == "adjust_margin") return {.body = {{"market_id", "ETH-USDX-PERP"}, {"amount", "1"}, {"direction", "add"}}};
  if (name == "set_margin_mode") return {.body = isolated};
  if (name == "get_margin_mode") return {.query = "market_id=ETH-USDX-PERP"};
  if (name == "set_leverage") return {.body = {{"market_id", market}, {"leverage", 10}}};
  if (name == "submit_withdrawal") {
    const std::uint64_t nonce = next_nonce();
    const auto hash = signing::struct_hash(
        signing::WithdrawIntent{.amount = signing::Uint256(10'000'000), .asset = signing::usdx_asset, .nonce = nonce});
    return {
        .body = {{"wallet", own}, {"amount", "10"}, {"nonce", nonce}, {"signature", action_signature(alice_, hash)}}};
  }
  if (name == "claim_credit") return {.body = {{"amount", "1"}}};
  if (name == "enroll_transfers") return {.body = {{"account", payer}, {"domain", deployment}}};
  if (name == "submit_transfer") {
    enroll();
    return {.body = payment()};
  }
  if (name == "list_transfers") return {.query = "account=" + payer + "&domain=" + deployment};
  if (name == "get_transfer") {
    enroll();
    const std::string id = text_of(call("submit_transfer", carol_, {.body = payment()}), "id");
    return {.path_value = id, .query = "account=" + payer + "&domain=" + deployment};
  }
  if (name == "list_account_adl") return {.path_value = own};
  if (name == "place_order" || name == "preview_order") return {.body = order("Buy", "0.01", "55000")};
  if (name == "place_orders") return {.body = Json::array({order("Buy", "0.01", "55000")})};
  if (name == "amend_order") return {.path_value = resting_order(), .body = {{"price", "54000"}}};
  if (name == "get_order" || name == "cancel_order")
    return {.path_value = resting_order(), .query = std::string("market_id=") + market};
  if (name == "cancel_all_orders") {
    (void)resting_order();
    return {.query = std::string("market_id=") + market};
  }
  if (name == "create_bridge_withdrawal") return bridge_withdrawal();
  if (name == "get_bridge_withdrawal")
    return {.path_value = text_of(call("create_bridge_withdrawal", alice_, bridge_withdrawal()), "id")};
  if (name == "list_bridge_deposits") {
    (void)bridge_deposit();
    return {};
  }
  if (name == "get_bridge_deposit") return {.path_value = bridge_deposit()};
  if (name == "register_agent") return {.body = registration()};
  if (name == "list_agents") {
    call("register_agent", alice_, {.body = registration()});
    return {};
  }
  if (name == "revoke_agent") {
    const Json body = registration();
    call("register_agent", alice_, {.body = body});
    return {.path_value = text_of(body, "agent")};
  }
  if (name == "set_tier") return {.body = {{"address", to_string(bob_.account())}, {"tier", "MarketMaker"}}};
  if (name == "reset_tier" || name == "list_tiers") {
    const Json tier{{"address", to_string(bob_.account())}, {"tier", "MarketMaker"}};
    call("set_tier", alice_, {.body = tier});
    return name == "list_tiers" ? Wanted{} : Wanted{.path_value = to_string(bob_.account())};
  }
  if (name == "list_orders") {
    (void)resting_order();
    return {};
  }
  if (name == "account_stream") return {.query = "token=" + text_of(call("mint_stream_token", alice_, {}), "token")};
  const Json on_chain{{"chain", "devchain"}};
  if (name == "create_deposit_address") return {.body = on_chain};
  if (name == "list_deposit_addresses") {
    call("create_deposit_address", alice_, {.body = on_chain});
    return {};
  }
  if (name == "create_wallet_challenge") return {.body = {{"address", own}}};
  if (name == "register_wallet") {
    const Json challenge = call("create_wallet_challenge", alice_, {.body = {{"address", own}}});
    const std::string message = text_of(challenge, "message");
    return {.body = {{"address", own},
                     {"message", message},
                     {"signature", to_string(alice_.wallet.sign(signing::personal_message_digest(message)))}}};
  }
  return {};
}

api::HttpRequest RealVenue::request_for(const api::OperationEntry& entry, bool twin) {
  const bool pays = entry.operation->auth.has(api::Auth::owner_signature);
  return build(entry, twin, wanted_for(*entry.operation), pays ? carol_ : alice_);
}

}  // namespace svc::contract
