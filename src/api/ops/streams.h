// WebSocket upgrades and their tokens.
#pragma once

#include "api/operation.h"
#include "api/records/streams.h"

namespace svc::api::ops {

struct PublicStream {
  using Request = PublicStreamRequest;
  using Response = Empty;
  static constexpr OperationError errors[] = {ErrorCode::upgrade_required, ErrorCode::ws_conn_limit_exceeded};
  static constexpr Operation op{.name = "public_stream",
                                .group = "streams",
                                .method = Method::get,
                                .path = "/stream",
                                .summary = "Open the public stream (legacy)",
                                .detail =
                                    "One message subscribes: "
                                    "`{\"subscribe\":[\"trades:*\",\"book:BTC-USDX-PERP\",\"market_status:*\","
                                    "\"stats\"]}`. Needs no token; one that is sent is ignored.",
                                .success = 101,
                                .errors = errors};
};

struct AccountStream {
  using Request = AccountStreamRequest;
  using Response = Empty;
  static constexpr OperationError errors[] = {ErrorCode::upgrade_required, ErrorCode::ws_conn_limit_exceeded};
  static constexpr Operation op{
      .name = "account_stream",
      .group = "streams",
      .method = Method::get,
      .path = "/ws",
      .summary = "Open the account stream",
      .detail =
          "Frames are `{\"op\":\"subscribe\",\"channel\":...,\"market\":...}`; channels are trades, book, candles and "
          "ticker with a market, and orders, fills, positions, balances and liquidations of the account. `since` "
          "resumes after a sequence number.",
      .auth = Auth::ws_token,
      .success = 101,
      .errors = errors};
};

struct MintStreamToken {
  using Request = Empty;
  using Response = StreamToken;
  static constexpr Operation op{.name = "mint_stream_token",
                                .group = "streams",
                                .method = Method::post,
                                .path = "/ws/token",
                                .summary = "Mint a stream token",
                                .detail = "The token is good for one connection to /ws within 60 seconds.",
                                .auth = Auth::hmac | Auth::agent};
};

struct MintPublicStreamToken {
  using Request = Empty;
  using Response = StreamToken;
  static constexpr Operation op{.name = "mint_public_stream_token",
                                .group = "streams",
                                .method = Method::post,
                                .path = "/ws-tokens",
                                .summary = "Mint a token for public channels (legacy)",
                                .detail = "Like POST /ws/token, but for public channels only.",
                                .auth = Auth::hmac};
};

}  // namespace svc::api::ops
