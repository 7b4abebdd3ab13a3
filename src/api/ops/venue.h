// The venue as a whole; public.
#pragma once

#include "api/operation.h"
#include "api/records/metadata.h"
#include "api/records/venue.h"

namespace svc::api::ops {

struct GetMetadata {
  using Request = Empty;
  using Response = Metadata;
  static constexpr Operation op{.name = "get_metadata",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/metadata",
                                .summary = "Show versions, networks and the signing domain",
                                .detail =
                                    "Only the two versions are always present. Where `chain_id` is null, sign nothing. "
                                    "`deployment` is the text that actions sign as `domain`.",
                                .base = PathBase::edge};
};

struct GetStats {
  using Request = Empty;
  using Response = StatsSnapshot;
  static constexpr Operation op{.name = "get_stats",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats",
                                .summary = "Show venue statistics",
                                .twin = true};
};

struct ListStatsHistory {
  using Request = Empty;
  using Response = List<ThroughputSample>;
  static constexpr Operation op{.name = "list_stats_history",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats/history",
                                .summary = "List fills per second, oldest first",
                                .twin = true};
};

struct GetStatus {
  using Request = Empty;
  using Response = ServiceHealth;
  static constexpr Operation op{.name = "get_status",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/status",
                                .summary = "Show the health of the service"};
};

struct GetBalanceDistribution {
  using Request = Empty;
  using Response = BalanceDistribution;
  static constexpr Operation op{.name = "get_balance_distribution",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats/balance-distribution",
                                .summary = "Show how equity is spread over accounts"};
};

struct GetVolume {
  using Request = Empty;
  using Response = VenueVolume;
  static constexpr Operation op{.name = "get_volume",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats/volume",
                                .summary = "Show the volume traded"};
};

struct GetOpenInterest {
  using Request = Empty;
  using Response = List<MarketOpenInterest>;
  static constexpr Operation op{.name = "get_open_interest",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats/open-interest",
                                .summary = "Show open interest by market"};
};

struct GetReferralStats {
  using Request = Empty;
  using Response = ReferralStats;
  static constexpr OperationError errors[] = {ErrorCode::bad_gateway, ErrorCode::referral_store_not_configured};
  static constexpr Operation op{.name = "get_referral_stats",
                                .group = "venue",
                                .method = Method::get,
                                .path = "/stats/referrals",
                                .summary = "Show the referral aggregate",
                                .errors = errors};
};

}  // namespace svc::api::ops
