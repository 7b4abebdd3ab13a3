#include "api/error_catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "api/operation_table.h"

namespace svc::api {
namespace SVC_FILE {

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

TEST(ErrorCatalog, NoTwoCodesAreTheSameToAClient) {
  std::map<std::string, std::string_view> seen;
  for (const ErrorInfo& entry : error_catalog()) {
    const auto [position, added] = seen.emplace(folded(entry.spelling), entry.spelling);
    EXPECT_TRUE(added) << entry.spelling << " and " << position->second;
  }
}

TEST(ErrorCatalog, IsIndexedByCodeAndSaysSomething) {
  for (const ErrorInfo& entry : error_catalog()) {
    EXPECT_EQ(&info(entry.code), &entry);
    EXPECT_EQ(find_error(entry.spelling), entry.code);
    EXPECT_GE(entry.status, 400);
    EXPECT_LT(entry.status, 600);
    EXPECT_FALSE(entry.meaning.empty() || entry.meaning.ends_with('.')) << entry.spelling;
  }
}

TEST(ErrorCatalog, SpellingsOfDeploymentsAreOneCode) {
  EXPECT_EQ(find_error("RateLimitExceeded"), ErrorCode::rate_limit_exceeded);
  EXPECT_EQ(find_error("rate_limit_exceeded"), ErrorCode::rate_limit_exceeded);
  EXPECT_EQ(find_error("UNAUTHORIZED"), ErrorCode::unauthorized);
  EXPECT_EQ(find_error("market_halted"), ErrorCode::market_halted);
  EXPECT_EQ(find_error("signature_invalid"), ErrorCode::signature_invalid);
  EXPECT_FALSE(find_error("rate_limit"));
  EXPECT_FALSE(find_error(""));
}

TEST(ErrorCatalog, HoldsEveryCodeTheApiNames) {
  const struct {
    const char* spelling;
    int status;
  } rows[] = {
      {"unauthorized", 401},
      {"invalid_window", 400},
      {"bad_wallet", 400},
      {"bad_agent", 400},
      {"expiry_out_of_range", 400},
      {"invalid_json", 400},
      {"INVALID_MARKET_ID", 400},
      {"credits_frozen", 403},
      {"EARLY_ACCESS_REQUIRED", 403},
      {"NoOpenPosition", 404},
      {"duplicate_agent", 409},
      {"TRANSFER_ID_CONFLICT", 409},
      {"api_version_unsupported", 426},
      {"RATE_LIMIT_EXCEEDED", 429},
      {"daily_limit_exceeded", 429},
      {"INTERNAL_ERROR", 500},
      {"authoritative_margin_unavailable", 502},
      {"BAD_GATEWAY", 502},
      {"DEPOSIT_TARGET_MISCONFIGURED", 503},
      {"REFERRAL_STORE_NOT_CONFIGURED", 503},
      {"TRANSFERS_UNAVAILABLE", 503},
      {"IsolatedMarginNotRecorded", 503},
      {"TRANSFER_ACCOUNT_INELIGIBLE", 403},
      {"TRANSFER_OUTFLOW_BLOCKED", 403},
      {"MarketHalted", 400},
      {"MarginModeNotIsolated", 400},
      {"InsufficientMargin", 400},
      {"InsufficientBalance", 400},
      {"RESTRICTED_JURISDICTION", 403},
      {"US_RESTRICTED", 403},
      {"GEO_UNRESOLVED", 403},
      {"wallet_already_registered", 409},
      {"ws_conn_limit_exceeded", 429},
      {"wallet_registration_unavailable", 503},
      {"WouldTakeLiquidity", 400},
      {"InsufficientLiquidity", 400},
      {"InvalidAmend", 400},
      {"unsupported_chain", 400},
      {"amount_below_minimum", 400},
      {"deposit_not_found", 404},
      {"invalid_address", 400},
      {"invalid_challenge", 400},
      {"challenge_expired", 400},
      {"signature_mismatch", 400},
      {"account_mismatch", 403},
      {"SIGNER_MISMATCH", 401},
      {"SIGNATURE_INVALID", 401},
      {"subscription_limit_exceeded", 429},
      {"not_implemented", 501},
      {"method_not_allowed", 405},
      {"body_too_large", 413},
      {"ClientIdTaken", 409},
      {"MarginModeLocked", 422},
      {"OrderNotFound", 404},
  };
  for (const auto& row : rows) {
    const auto code = find_error(row.spelling);
    ASSERT_TRUE(code) << row.spelling;
    EXPECT_EQ(spelling(*code), row.spelling);
    EXPECT_EQ(info(*code).status, row.status) << row.spelling;
  }
}

TEST(ErrorBody, HasTheShapeOfItsOperation) {
  const ApiError error(ErrorCode::insufficient_margin, "5 \"short\"");
  EXPECT_EQ(render(error, Envelope::flat), R"({"code":"InsufficientMargin","message":"5 \"short\""})");
  EXPECT_EQ(render(error, Envelope::trading),
            R"({"code":"InsufficientMargin","error":"InsufficientMargin","message":"5 \"short\""})");
  EXPECT_EQ(render(error, Envelope::bridge), R"({"error":{"code":"InsufficientMargin","message":"5 \"short\""}})");
}

TEST(ErrorBody, RepeatsOnlyTheBeginningOfWhatAClientSent) {
  const ApiError error(ErrorCode::invalid_json, "unknown field " + std::string(1'000'000, 'a'));
  EXPECT_EQ(error.message.size(), limits::error_message_bytes_max + 3);
  EXPECT_TRUE(error.message.ends_with("aaa..."));
}

TEST(ErrorBody, FurtherMembersFollow) {
  const ApiError error =
      ApiError(ErrorCode::daily_limit_exceeded, "m").with("credited_today", "500").with("daily_limit", "500");
  EXPECT_EQ(render(error, Envelope::flat),
            R"({"code":"daily_limit_exceeded","message":"m","credited_today":"500","daily_limit":"500"})");
  EXPECT_EQ(
      render(error, Envelope::bridge),
      R"({"error":{"code":"daily_limit_exceeded","message":"m","details":{"credited_today":"500","daily_limit":"500"}}})");
}

TEST(ErrorBody, SomeAreTheSameEverywhere) {
  const ApiError limited = ApiError(ErrorCode::rate_limit_exceeded, "m").with("bucket", "order").with("tier", "Pro");
  for (const Envelope envelope : {Envelope::flat, Envelope::trading, Envelope::bridge}) {
    EXPECT_EQ(render(ApiError(ErrorCode::unauthorized, "why"), envelope), R"({"code":"unauthorized"})");
    EXPECT_EQ(render(ApiError(ErrorCode::body_too_large, "why"), envelope),
              R"({"code":"body_too_large","message":"why"})");
    EXPECT_EQ(render(ApiError(ErrorCode::authoritative_margin_unavailable), envelope),
              R"({"code":"authoritative_margin_unavailable"})");
    EXPECT_EQ(render(limited, envelope),
              R"({"code":"RATE_LIMIT_EXCEEDED","message":"m","bucket":"order","tier":"Pro"})");
  }
}

TEST(ErrorStatus, IsTheOperationsWhereItDeclaresOne) {
  const ApiError halted(ErrorCode::market_halted);
  EXPECT_EQ(status_of(halted, ops::PlaceOrder::op), 400);
  EXPECT_EQ(status_of(halted, ops::AmendOrder::op), 409);
  EXPECT_EQ(status_of(ApiError(ErrorCode::insufficient_balance), ops::AdjustMargin::op), 400);
  EXPECT_EQ(status_of(ApiError(ErrorCode::insufficient_balance), ops::SubmitWithdrawal::op), 403);
  EXPECT_EQ(status_of(halted), 400);
}

TEST(ErrorCategory, OfAnUnknownCodeFollowsFromItsStatus) {
  const std::pair<int, Category> rows[] = {
      {400, Category::invalid},     {401, Category::auth},        {403, Category::forbidden},
      {404, Category::not_found},   {409, Category::conflict},    {410, Category::version},
      {422, Category::invalid},     {426, Category::version},     {429, Category::rate_limited},
      {500, Category::internal},    {502, Category::unavailable}, {503, Category::unavailable},
      {301, Category::unavailable}, {408, Category::unavailable},
  };
  for (const auto& [status, category] : rows) EXPECT_EQ(category_of_status(status), category) << status;
}

TEST(FrameCodes, AreThoseOfStreamsAlone) {
  std::vector<std::string_view> frames;
  for (const ErrorInfo& info : error_catalog())
    if (info.is_of_frames) frames.push_back(info.spelling);
  const std::vector<std::string_view> expected{"subscription_limit_exceeded",
                                               "frame_rate_exceeded",
                                               "invalid_frame",
                                               "unknown_op",
                                               "unknown_channel",
                                               "unknown_interval",
                                               "market_required",
                                               "market_not_taken",
                                               "interval_not_taken",
                                               "public_token"};
  EXPECT_EQ(frames, expected);
}

}  // namespace SVC_FILE
}  // namespace svc::api
