// docs/limits.md: every limit of the sandbox that a client can meet, generated from src/base/limits.h.
//
// SVC_UPDATE_GOLDEN=1 rewrites the document.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/client_machine.h"
#include "files.h"
#include "sim/control/control_stream.h"
#include "sim/control/mark_trail.h"
#include "sim/control/timeline.h"
#include "sim/engine/market_spec.h"

namespace svc::cli {
namespace SVC_FILE {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string bytes(std::uint64_t number) {
  constexpr std::uint64_t kib = 1024;
  constexpr std::uint64_t mib = kib * kib;
  if (number % mib == 0) return grouped(number / mib) + " MiB";
  if (number % kib == 0) return grouped(number / kib) + " KiB";
  return grouped(number) + " bytes";
}

std::string usdx(std::int64_t amount) {
  return grouped(static_cast<std::uint64_t>(amount / usdx_one)) + " USDX";
}

std::string time_of(std::int64_t ms) {
  const auto count = [&](std::int64_t unit_ms) { return grouped(static_cast<std::uint64_t>(ms / unit_ms)); };
  if (ms % day_ms == 0) return count(day_ms) + " d";
  if (ms % hour_ms == 0) return count(hour_ms) + " h";
  if (ms % minute_ms == 0) return count(minute_ms) + " min";
  if (ms % second_ms == 0) return count(second_ms) + " s";
  return count(1) + " ms";
}

struct LimitRow {
  std::string what;
  std::string value;
  const char* beyond;
};

struct LimitTable {
  const char* title;
  std::vector<LimitRow> rows;
};

std::vector<LimitRow> highest_prices() {
  std::vector<LimitRow> rows;
  for (const engine::MarketSpec& spec : engine::standard_markets())
    rows.push_back({"price in `" + spec.id + "`", engine::format_price(spec, spec.price_max), "400 `InvalidPrice`"});
  return rows;
}

std::vector<LimitTable> limit_tables() {
  using namespace limits;
  return {
      {"Connections and requests",
       {{"simultaneous connections", grouped(http_connections_max),
         "503 `service_unavailable`, and the connection ends; clients on other machines are refused when a sixteenth "
         "of the connections is still free. When many are refused at once, connections are closed without an answer"},
        {"unanswered requests of one connection", grouped(http_pipeline_depth_max), "further requests are read later"},
        {"request line", bytes(http_request_line_bytes_max), "414 `uri_too_long`"},
        {"request line and header fields", bytes(http_header_bytes_max), "431 `header_too_large`"},
        {"header fields", grouped(http_header_fields_max), "431 `header_too_large`"},
        {"body", bytes(http_body_bytes_max), "413 `body_too_large`"},
        {"body of `PUT /_svc/state`", bytes(state_document_bytes_max), "413 `body_too_large`"},
        {"nesting of a body", grouped(record_json_depth_max), "400 `invalid_json`"},
        {"digits of a decimal", grouped(decimal_digits_max), "400"},
        {"from the first byte of a request to its last header byte", time_of(http_header_ms), "408 `request_timeout`"},
        {"from there to the last byte of its body", time_of(http_body_ms), "408 `request_timeout`"},
        {"silence of a connection between requests", time_of(http_idle_ms), "it is closed without an answer"},
        {"a reader that takes nothing of an answer", time_of(http_write_ms), "the connection ends"},
        {"requests in progress when the sandbox is stopped", time_of(http_stop_grace_ms), "they are cut off"},
        {"writes that wait for the disk", grouped(writes_waiting_max), "503 `service_unavailable`; nothing happened"}}},
      {"Requests of a client",
       {{"orders in one `POST /orders/batch`", grouped(batch_orders_max), "400 `BatchTooLarge`"},
        {"makers that its orders may meet without trading", grouped(batch_makers_max),
         "`BatchTooLarge` in the items behind"},
        {"open orders of an account",
         grouped(open_orders_default) + "; `--open-orders N`, up to " + grouped(open_orders_max),
         "400 `TooManyOpenOrders`"},
        {"orders of all accounts, from the beginning", grouped(moneyless_orders_max),
         "400 `InsufficientMargin` for accounts without a position or the margin of the smallest order"},
        {"`trailing_offset_bps` of an order that has one", grouped(bps_max), "400 `InvalidTriggerPrice`"},
        {"`limit_offset_bps` of an order that has one", grouped(basis_points - 1), "400 `InvalidPrice`"},
        {"`max_slippage_bps` of an order that can have one", grouped(bps_max), "400 `InvalidPrice`"},
        {"`client_id`", grouped(client_id_chars_max) + " bytes", "400 `InvalidClientId`"},
        {"`client_transfer_id`", grouped(client_transfer_id_chars_max) + " bytes", "400 `invalid_json`"},
        {"`Idempotency-Key`", grouped(idempotency_key_chars_max) + " characters", "400 `invalid_parameter`"},
        {"life of an `Idempotency-Key`", time_of(idempotency_key_lifetime_ms), "it counts as a new key"},
        {"`market_id`", grouped(market_id_chars_max) + " characters", "400 `INVALID_MARKET_ID`"},
        {"levels of a book, per side", grouped(book_levels_max), "the others are left out"},
        {"API keys of an account", grouped(api_keys_per_account_max), "400 `too_many_keys`"},
        {"API keys of all accounts", grouped(api_keys_max),
         "400 `too_many_keys` for accounts without money or positions"},
        {"agents of an account", grouped(agents_per_account_max), "400 `too_many_agents`"},
        {"agents of all accounts", grouped(agents_max),
         "400 `too_many_agents` for accounts without money or positions"},
        {"life of an agent", time_of(agent_lifetime_min_ms) + " to " + time_of(agent_lifetime_max_ms),
         "400 `expiry_out_of_range`"},
        {"label of an API key or an agent", grouped(label_bytes_max) + " bytes", "400 `invalid_json`"},
        {"bridge wallets of an account", grouped(bridge_wallets_max), "refused"},
        {"timestamp of a signature", time_of(auth_window_ms) + " either way", "401"},
        {"life of a session", time_of(session_lifetime_ms), "401"},
        {"sessions of a network", grouped(sessions_max), "the oldest ends"}}},
      {"Money",
       {{"payments between accounts, of a network", grouped(transfer_receipts_max), "503 `TRANSFERS_UNAVAILABLE`"},
        {"accounts enrolled for them", grouped(transfer_enrollments_max),
         "403 `TRANSFER_ACCOUNT_INELIGIBLE` for accounts without money or positions"},
        {"bridge withdrawals of an account within 24 hours", grouped(idempotency_keys_max),
         "503 `bridge_withdrawals_unavailable`"},
        {"deposits and withdrawals that are listed, of each kind and account", grouped(chain_movements_kept_max),
         "the oldest final one is forgotten"},
        {"challenges for bridge wallets, per account", grouped(wallet_challenges_max), "the oldest expires"},
        {"life of such a challenge", time_of(wallet_challenge_lifetime_ms), "refused"},
        {"frozen accounts", grouped(frozen_accounts_max), "422"},
        {"net deposits of a network", usdx(funds_venue_max), "400 `InvalidAmount`"},
        {"net deposits after a deposit of one's own", usdx(own_deposits_venue_max), "400 `InvalidAmount`"},
        {"money of an account after a deposit of its own", usdx(own_deposits_account_max), "400 `InvalidAmount`"},
        {"price times quantity of one order", usdx(order_value_max), "such a market is not listed"},
        {"open interest of all markets, at their highest prices", usdx(open_interest_value_max),
         "400 `OpenInterestCapExceeded`"},
        {"margin tiers of a market", grouped(margin_tiers_max), "such a market is not listed"},
        {"`max_leverage` of a market", grouped(leverage_max), "such a market is not listed"}}},
      {"Prices of the standard markets", highest_prices()},
      {"Streams",
       {{"message of a client", bytes(websocket_message_bytes_max), "the connection ends with 1009"},
        {"life of a stream token", time_of(stream_token_lifetime_ms) + ", one upgrade", "401"},
        {"connections of an address", grouped(stream_connections_per_address) + "; MarketMaker and Unlimited: no limit",
         "429 `ws_conn_limit_exceeded`"},
        {"subscriptions of one connection, whatever the tier", grouped(stream_subscriptions_max),
         "`subscription_limit_exceeded`"},
        {"unsent events of one connection", bytes(stream_queue_bytes_max),
         "events are left out, and the reader is told"},
        {"more, of what is sent in one go", bytes(stream_pass_bytes_max), "likewise"},
        {"answers beyond that", bytes(stream_queue_reserve_bytes), "the connection ends with 1008"},
        {"events that can be sent again, per channel and market", grouped(stream_replay_events_max), "`out_of_sync`"},
        {"the same, per channel and account", grouped(stream_account_replay_events_max), "`out_of_sync`"},
        {"accounts without a reader whose events can be sent again", grouped(stream_accounts_max),
         "`out_of_sync`, first for those that never had a reader"},
        {"silence before a ping", time_of(stream_ping_ms), "a ping"},
        {"silence until a peer counts as dead", time_of(stream_silence_ms_max), "the connection ends"}}},
      {"History that is kept",
       {{"orders that ended, per account", grouped(terminal_orders_max), "the oldest are forgotten"},
        {"the same, of all accounts", grouped(all_terminal_orders_max),
         "accounts that have most of them lose their oldest"},
        {"fills, per account", grouped(fills_max), "the oldest are forgotten"},
        {"trades, per market", grouped(public_trades_max), "the oldest are forgotten"},
        {"candles, per market and timeframe", grouped(candles_max), "the oldest are forgotten"},
        {"closed positions, per account", grouped(closed_positions_max), "the oldest are forgotten"},
        {"funding payments, per account", grouped(funding_payments_max), "the oldest are forgotten"},
        {"funding rates, per market", grouped(funding_rates_max), "the oldest are forgotten"},
        {"activity rows, per account", grouped(activity_rows_max), "the oldest are forgotten"},
        {"lines of `/_svc/requests`", grouped(request_log_max), "the oldest are forgotten"},
        {"entries of `/_svc/timeline`", grouped(timeline_entries_max), "the oldest are forgotten"},
        {"requests and answers of the timeline, all together", bytes(timeline_bytes_max),
         "the oldest are forgotten, their entries stay"},
        {"successful reads in it", grouped(timeline_reads_max), "the oldest reads are forgotten"},
        {"requests and answers of these reads", bytes(timeline_read_bytes_max),
         "the oldest are forgotten, their entries stay"},
        {"body of a request or answer of the timeline", bytes(timeline_body_bytes_max), "it is cut"},
        {"text that should have been signed, in the timeline", bytes(timeline_expected_bytes_max), "it is cut"},
        {"line of an entry", grouped(timeline_text_bytes_max) + " bytes", "it is cut"},
        {"page of `/_svc/timeline`", grouped(timeline_page_max), "the page has so many"},
        {"mark and index prices, per market",
         grouped(mark_seconds_max) + " seconds, " + grouped(mark_minutes_max) + " minutes", "the oldest are forgotten"},
        {"streams of `/_svc/stream`, per network", grouped(control_streams_max), "429"},
        {"reads watched on one of them", grouped(control_stream_watches_max), "429"},
        {"unsent bytes of one of them", bytes(control_stream_queue_bytes_max), "news wait; entries may be forgotten"}}},
      {"The sandbox itself",
       {{"development accounts", grouped(dev_accounts_max), "exit 2"},
        {"named snapshots", grouped(snapshots_max), "422"},
        {"all named snapshots together", bytes(snapshots_bytes_max), "422"},
        {"name of a snapshot", grouped(snapshot_name_chars_max) + " characters", "400 `invalid_json`"},
        {"fault rules", grouped(fault_rules_max), "422"},
        {"latency of a fault", time_of(fault_latency_ms_max), "400"},
        {"one jump of the clock", time_of(clock_jump_ms_max), "400 `invalid_json`"},
        {"rate of a scaled clock", "x" + grouped(clock_rate_max),
         "`--clock`: exit 2; `/_svc/time`: 400 `invalid_json`"},
        {"processors that serve connections", grouped(io_threads_max), "the others are not used"}}},
      {"The client",
       {{"orders in one request of `orders batch`", grouped(batch_lines_max), "exit 2"},
        {"rows of one list, `--all` included", grouped(list_rows_max),
         "`--limit`: exit 2; `--all`: a notice says that there are more"},
        {"standard input, or a file that a flag names", bytes(input_bytes_max), "exit 2"},
        {"password or secret", bytes(secret_bytes_max), "exit 2"},
        {"`--timeout`", time_of(request_timeout_ms_max), "exit 2"},
        {"`--retries`", grouped(read_retries_max), "exit 2"},
        {"a wait for the rate limit", time_of(rate_wait_ms_max), "exit 9"},
        {"`Retry-After` of a 429", time_of(rate_wait_ms_max), "the next command asks the server again"},
        {"difference of the clocks", time_of(skew_refused_above_ms),
         "nothing is signed but on the way out; no bound on local"},
        {"answer of a server", bytes(http_response_body_bytes_max), "it is not read"},
        {"values in its JSON", grouped(json_values_max), "it is not read"},
        {"message of a stream", bytes(websocket_server_message_bytes_max), "the connection ends with 1009"},
        {"keystore", bytes(keystore_bytes_max), "it is not read"},
        {"typed data", bytes(typed_data_bytes_max), "it is not signed"}}},
  };
}

TEST(LimitsDocument, MatchesTheProgramsLimits) {
  std::string document =
      "# Limits\n\n"
      "Bounds of the sandbox that a client is most likely to meet, and what happens beyond them. Budgets and tiers are "
      "in\n"
      "[gateway.md](gateway.md), ceilings of streams in [streams.md](streams.md#limits). Written by "
      "tests/cli/limits_document_test.cpp from\n"
      "`src/base/limits.h`.\n";
  for (const LimitTable& table : limit_tables()) {
    document += std::string("\n## ") + table.title + "\n\n| | limit | beyond it |\n|---|---|---|\n";
    for (const LimitRow& row : table.rows)
      document += std::string("| ") + row.what + " | " + row.value + " | " + row.beyond + " |\n";
  }
  test::expect_generated("docs/limits.md", document);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
