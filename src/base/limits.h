// Bounds that several files share; others are beside their noun. For bounds of the API, the comment names the source.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::limits {

// Text
inline constexpr std::size_t decimal_digits_max = 30;   // parsed exactly in 128 bits
inline constexpr std::size_t market_id_chars_max = 64;  // API: naming of markets

// Records
inline constexpr std::size_t error_message_bytes_max = 1'024;  // it may repeat what a client sent
inline constexpr std::size_t record_json_depth_max = 16;       // nesting of a record in a body

// Time
inline constexpr std::int64_t auth_window_ms = 30'000;           // API: plus or minus 30 s
inline constexpr std::int64_t session_lifetime_ms = 86'400'000;  // API: 24 h

// Sandbox
inline constexpr std::int64_t clock_rate_max = 1'000'000;              // times real speed
inline constexpr std::int64_t clock_ms_max = 253'402'300'799'999;      // the last millisecond of the year 9999
inline constexpr std::int64_t clock_jump_ms_max = 400LL * 86'400'000;  // of one advance or set
inline constexpr std::uint32_t limit_scale_max = 1'000'000;            // --limits xN
inline constexpr std::size_t dev_accounts_max = 1'000;
inline constexpr std::int64_t dev_funds_max =
    1'000'000'000'000'000;                                    // of all of them, 1e-6 USDX; a tenth of funds_venue_max
inline constexpr std::size_t writers_waiting_max = 4'096;     // submissions queued behind the single writer
inline constexpr std::uint64_t state_mark_entries = 10'000;   // journal entries between two state hashes
inline constexpr std::uint64_t snapshot_entries = 200'000;    // journal entries between two snapshots
inline constexpr std::size_t snapshot_log_bytes = 32u << 20;  // or their bytes: an entry may bring a whole state
inline constexpr std::size_t snapshots_kept = 2;              // the older one is dropped
inline constexpr std::uint32_t refusal_tries = 4;             // to make sure that a failed commit is not on the disk
inline constexpr std::size_t write_threads_max = 128;         // threads that wait for the journal on behalf of requests
inline constexpr std::size_t writes_waiting_max = 4'096;      // requests waiting for such a thread; beyond: 503
inline constexpr std::size_t book_levels_max = 1'000;         // per side of GET /markets/{market_id}/orderbook
inline constexpr std::size_t public_trades_max = 10'000;      // kept per market
inline constexpr std::size_t terminal_orders_max = 10'000;    // kept per account
inline constexpr std::size_t all_terminal_orders_max = 1'000'000;  // kept of all accounts together
inline constexpr std::size_t fills_max = 10'000;                   // kept per account
inline constexpr std::size_t closed_positions_max = 1'000;         // kept per account
inline constexpr std::size_t funding_payments_max = 1'000;         // kept per account
inline constexpr std::size_t funding_rates_max = 1'000;            // kept per market
inline constexpr std::size_t premium_samples_max = 480;            // kept per market: 8 hours
inline constexpr std::size_t adl_events_max = 1'000;               // kept per market and per account
inline constexpr std::size_t funds_entries_max = 1'000;            // kept per account
inline constexpr std::size_t activity_rows_max = 20'000;           // kept per account
inline constexpr std::size_t candles_max = 10'000;            // kept per market and timeframe, empty ones not counted
inline constexpr std::size_t equity_points_max = 720;         // of GET /account/equity-history: an hour
inline constexpr std::size_t throughput_samples_max = 3'600;  // of GET /stats/history: an hour
inline constexpr std::int64_t disconnect_grace_ms = 10'000;
inline constexpr std::size_t snapshots_max = 32;                // named snapshots of /_svc/snapshots
inline constexpr std::size_t snapshots_bytes_max = 512u << 20;  // all of them together
inline constexpr std::size_t snapshot_name_chars_max = 64;
inline constexpr std::size_t state_document_bytes_max = 64u << 20;  // of PUT /_svc/state
inline constexpr std::size_t state_file_bytes_max = 512u << 20;     // of --load
inline constexpr std::int64_t housekeeping_ms = 50;  // real time between two looks at timers and the request log
inline constexpr std::int64_t clock_jump_answer_ms = 600'000;  // how long whoever moves the clock waits for the answer
inline constexpr std::size_t io_threads_max = 8;
inline constexpr std::size_t halt_reason_chars_max = 256;
inline constexpr std::size_t request_log_max = 1'000;  // lines of /_svc/requests
inline constexpr std::size_t fault_rules_max = 100;    // of /_svc/faults
inline constexpr std::size_t fault_glob_chars_max = 256;
inline constexpr std::int64_t fault_latency_ms_max = 600'000;
inline constexpr std::int64_t fault_skew_ms_max = 400LL * 86'400'000;
inline constexpr std::uint32_t fault_count_max = 1'000'000'000;

// Money in and out
inline constexpr std::size_t transfer_receipts_max = 100'000;     // API: beyond it new payments are refused
inline constexpr std::size_t transfer_enrollments_max = 100'000;  // beyond: none without money
inline constexpr std::size_t client_transfer_id_chars_max = 64;
inline constexpr std::size_t chain_movements_kept_max = 1'000;  // of one kind per account; beyond: the oldest final one
inline constexpr std::int64_t chain_block_ms_max = 86'400'000;  // setting: block time of a chain
inline constexpr std::uint32_t chain_confirmations_max = 10'000;  // setting: confirmations of a chain
inline constexpr std::size_t idempotency_key_chars_max = 255;
inline constexpr std::int64_t idempotency_key_lifetime_ms = 86'400'000;  // afterwards the key is unused again
inline constexpr std::size_t idempotency_keys_max = 1'000;  // live keys per account, one per bridge withdrawal
inline constexpr std::size_t bridge_wallets_max = 10;       // per account
inline constexpr std::size_t label_bytes_max = 128;         // of an API key or an agent
inline constexpr std::size_t wallet_challenges_max = 10;    // per account; beyond: the oldest expires
inline constexpr std::int64_t wallet_challenge_lifetime_ms = 600'000;
inline constexpr std::size_t frozen_accounts_max = 10'000;

// Gateway: rates in tokens per second; every bucket holds one second of tokens (API: Limits)
inline constexpr std::uint32_t client_reads_per_second = 50;      // per client address, also of Unlimited callers
inline constexpr std::uint32_t client_logins_per_second = 5;      // per client address
inline constexpr std::uint32_t unresolved_reads_per_second = 5;   // shared by all unresolved addresses
inline constexpr std::uint32_t unresolved_logins_per_second = 5;  // likewise
inline constexpr std::size_t buckets_per_pool_max = 65'536;       // beyond: the one idle longest is forgotten
inline constexpr std::size_t path_segments_max = 16;
inline constexpr std::size_t recent_signers_max = 4'096;          // of signatures that are not recovered again
inline constexpr std::size_t sessions_max = 100'000;              // per network; beyond: the oldest ends
inline constexpr std::size_t stream_tokens_max = 100'000;         // per network; beyond: the oldest is forgotten
inline constexpr std::int64_t stream_token_lifetime_ms = 60'000;  // API: 60 s, one use
inline constexpr std::size_t api_keys_per_account_max = 100;
inline constexpr std::size_t api_keys_max = 100'000;  // per network; beyond: none without money
inline constexpr std::size_t agents_per_account_max = 100;
inline constexpr std::size_t agents_max = 100'000;                        // per network; beyond: none without money
inline constexpr std::int64_t agent_lifetime_min_ms = 86'400'000;         // API: 1 day
inline constexpr std::int64_t agent_lifetime_default_ms = 2'592'000'000;  // API: 30 days
inline constexpr std::int64_t agent_lifetime_max_ms = 7'776'000'000;      // API: 90 days
inline constexpr std::size_t request_log_text_max = 512;  // longer methods, paths and notes of a line are cut

// HTTP, server side
inline constexpr std::size_t http_request_line_bytes_max = 8 * 1024;  // beyond: 414
inline constexpr std::size_t http_header_bytes_max = 15 * 1024;       // request line and fields; beyond: 431
inline constexpr std::size_t http_header_fields_max = 100;            // beyond: 431
inline constexpr std::size_t http_body_bytes_max = 1024 * 1024;       // beyond: 413
inline constexpr std::size_t http_pipeline_depth_max = 64;            // unanswered requests of one connection
inline constexpr std::size_t http_output_bytes_high = 1024 * 1024;    // unsent bytes at which reading pauses
inline constexpr std::size_t http_connections_max = 4096;             // beyond: 503
inline constexpr std::size_t http_connections_refused_max = 256;      // connections being answered 503; beyond: closed
inline constexpr std::int64_t http_idle_ms = 75'000;
inline constexpr std::int64_t http_header_ms = 10'000;  // from a request's first byte to its last header byte
inline constexpr std::int64_t http_body_ms = 30'000;    // from there to its last byte
inline constexpr std::int64_t http_write_ms = 30'000;   // without progress of the reader
inline constexpr std::int64_t http_linger_ms = 2'000;   // reading on after a refusal, so that the client sees it
inline constexpr std::int64_t http_stop_grace_ms = 5'000;
inline constexpr std::int64_t http_timer_tick_ms = 100;
inline constexpr int listen_port_attempts_max = 32;  // to find one port free in both address families

// HTTP, client side
inline constexpr std::size_t http_response_header_bytes_max = 64 * 1024;
inline constexpr std::size_t http_response_header_fields_max = 256;
inline constexpr std::size_t http_response_body_bytes_max = 32 * 1024 * 1024;
inline constexpr int http_interim_responses_max = 8;             // 1xx before the answer
inline constexpr std::size_t late_answer_bytes_max = 4'194'304;  // that are still read when the time for it is over
inline constexpr std::int64_t http_connect_ms = 10'000;
inline constexpr std::int64_t http_answer_ms = 30'000;
inline constexpr std::size_t url_bytes_max = 2048;

// WebSocket
inline constexpr std::size_t websocket_message_bytes_max = 64 * 1024;               // from a client
inline constexpr std::size_t websocket_server_message_bytes_max = 4 * 1024 * 1024;  // from a server

// Streams, server side
inline constexpr std::uint32_t stream_connections_per_address = 5;     // API: at the upgrade, up to Pro
inline constexpr std::uint32_t stream_frame_burst = 2;                 // API: seconds of a tier's inbound frames
inline constexpr std::size_t stream_subscriptions_max = 10'000;        // of one connection, whatever its tier
inline constexpr std::size_t stream_queue_bytes_max = 1024 * 1024;     // unsent events of one connection
inline constexpr std::size_t stream_pass_bytes_max = 4 * 1024 * 1024;  // more, of what is sent in one go
inline constexpr std::size_t stream_queue_reserve_bytes = 64 * 1024;   // for further answers; then it is closed
inline constexpr std::size_t stream_replay_events_max = 1'000;         // kept per channel and market
inline constexpr std::size_t stream_account_replay_events_max = 256;   // kept per channel and account
inline constexpr std::size_t stream_accounts_max = 1'024;              // accounts without readers whose events are kept
inline constexpr std::size_t stream_intake_events_max = 64 * 1024;     // not dispatched yet; then the writer does it
inline constexpr std::size_t stream_unheard_events_max = 2'048;        // of those, while nobody reads a stream
inline constexpr std::size_t stream_public_book_levels = 20;           // API: of a BookUpdate, per side
inline constexpr std::int64_t stream_stats_ms = 1'000;                 // between two stats frames
inline constexpr std::int64_t stream_pass_ms = 1;                      // real time between two dispatches
inline constexpr std::int64_t stream_unheard_us = 100;                 // the same, after one that sent nothing
inline constexpr std::int64_t stream_ping_ms = 20'000;                 // real time of silence before a ping
inline constexpr std::int64_t stream_silence_ms_max = 60'000;          // silence after which a peer is dead
inline constexpr std::int64_t stream_close_ms = 2'000;                 // real time for the answer to a close

// Command line
inline constexpr std::size_t json_depth_max = 64;                // of a document read from a server or a file
inline constexpr std::size_t json_values_max = 2'000'000;        // in such a document; each is kept in 100 bytes or so
inline constexpr std::size_t input_bytes_max = 16u << 20;        // standard input or a file named by a flag
inline constexpr std::size_t secret_bytes_max = 4'096;           // a password or secret file
inline constexpr std::size_t private_file_bytes_max = 4u << 20;  // a session, keystore, nonce or cache file
inline constexpr std::int64_t request_timeout_ms_default = 30'000;
inline constexpr std::int64_t request_timeout_ms_max = 600'000;
inline constexpr int read_retries_default = 2;
inline constexpr int read_retries_max = 20;
inline constexpr std::int64_t retry_pause_ms = 250;  // first pause before a read is sent again; doubles
inline constexpr std::int64_t retry_pause_ms_max = 4'000;
inline constexpr std::int64_t rate_wait_ms_max = 60'000;        // longest wait for a 429 that --rate wait allows
inline constexpr std::int64_t skew_corrected_above_ms = 1'000;  // clock difference that is corrected and reported
inline constexpr std::int64_t skew_refused_above_ms = 25'000;   // beyond it nothing is signed
inline constexpr std::int64_t metadata_lifetime_ms = 600'000;   // cached metadata and clock difference
inline constexpr std::size_t client_id_chars_max = 64;
inline constexpr std::size_t batch_lines_max = 1'000;    // orders in one request of `orders batch`
inline constexpr std::uint64_t list_rows_max = 100'000;  // rows that one list command reads, --all included

// Engine. Sums of money stay far below 64 bits: 10^18 is 10^12 USDX.
inline constexpr std::int64_t funds_venue_max = 10'000'000'000'000'000;             // net deposits, 1e-6 USDX
inline constexpr std::int64_t funds_with_reversals_max = 10 * funds_venue_max;      // after a withdrawal failed
inline constexpr std::int64_t own_deposits_venue_max = funds_venue_max / 10 * 9;    // net, after a deposit of one's own
inline constexpr std::int64_t own_deposits_account_max = funds_venue_max / 10;      // of an account, likewise
inline constexpr std::int64_t order_value_max = 1'000'000'000'000'000'000;          // price times quantity, 1e-6 USDX
inline constexpr std::int64_t open_interest_value_max = 1'000'000'000'000'000'000;  // at the highest price, 1e-6 USDX
inline constexpr std::size_t markets_of_full_value = 8;  // of more markets, each may have its share of eight times that
inline constexpr std::int64_t grid_units_max = 2'147'483'647;          // ticks of a price, lots of an order
inline constexpr std::int64_t margin_denominator_max = 1'000'000'000;  // common denominator of a market's tiers
inline constexpr std::size_t margin_tiers_max = 16;
inline constexpr std::int64_t leverage_max = 200;
inline constexpr std::size_t markets_max = 1'000;
inline constexpr std::size_t batch_orders_max = 1'000;          // of one place-batch command
inline constexpr std::size_t batch_makers_max = 10'000;         // that its orders may meet and leave as they were
inline constexpr std::uint64_t moneyless_orders_max = 100'000;  // of all accounts; then only those with money place any
inline constexpr std::int32_t basis_points = 10'000;
inline constexpr std::int32_t bps_max = 1'000'000;  // of an offset or a slippage cap
inline constexpr int book_window_ticks = 65'536;    // flat part of the order book

// Signing
inline constexpr std::size_t signing_json_depth_max = 64;             // keystores, typed data, request bodies
inline constexpr std::size_t keystore_bytes_max = 64 * 1024;          // real files have about 500
inline constexpr std::uint64_t scrypt_memory_bytes_max = 512u << 20;  // 128 * n * r; twice geth's
inline constexpr std::uint64_t scrypt_work_max = 1u << 23;            // n * r * p; four times geth's
inline constexpr std::uint64_t pbkdf2_iterations_max = 10'000'000;    // forty times the customary 262,144
inline constexpr std::size_t sealed_bytes_max = 16 * 1024;            // content of one box
inline constexpr std::size_t typed_data_bytes_max = 1024 * 1024;
inline constexpr std::size_t typed_data_types_max = 256;  // struct types of one document

// Bounds of the state that a sandbox stores, and of what is read back.

inline constexpr std::uint64_t counter_max = 1ull << 62;     // ids and sequences read back
inline constexpr std::uint32_t open_orders_default = 1'000;  // per account; a setting of the sandbox
inline constexpr std::uint32_t open_orders_max = 1'000'000;  // of that setting
inline constexpr std::int64_t state_lock_wait_ms = 5'000;    // waiting for an ending process to release its folder
inline constexpr std::int64_t state_lock_look_ms = 20;       // between two looks at its lock

}  // namespace svc::limits
