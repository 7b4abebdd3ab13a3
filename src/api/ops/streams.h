// WebSocket upgrades and their tokens.
#pragma once

#include "api/operation.h"
#include "api/records/streams.h"

namespace svc::api::ops {

struct PublicStream {
  using Request = PublicStreamRequest;
  using Response = Empty;
  static constexpr OperationError errors[] = {ErrorCode::ws_conn_limit_exceeded};
  static constexpr Operation op{.name = "public_stream",
                                .group = "streams",
                                .method = Method::get,
                                .path = "/stream",
                                .summary = "Open the public stream (legacy)",
                                .success = 101,
                                .errors = errors};
};

struct AccountStream {
  using Request = AccountStreamRequest;
  using Response = Empty;
  static constexpr OperationError errors[] = {ErrorCode::ws_conn_limit_exceeded};
  static constexpr Operation op{.name = "account_stream",
                                .group = "streams",
                                .method = Method::get,
                                .path = "/ws",
                                .summary = "Open the account stream",
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
                                .auth = Auth::hmac};
};

}  // namespace svc::api::ops
