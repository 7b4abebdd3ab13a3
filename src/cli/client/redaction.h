// What may be shown of a request or an answer. Signatures, key ids, tokens and secrets may not: a login signature stays
// valid forever, and logs are read by others.
#pragma once

#include <string>
#include <string_view>

#include "api/http/http_client.h"
#include "api/http/http_message.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/result.h"
#include "cli/terminal/json.h"

namespace svc::cli {

enum class Mask : std::uint8_t {
  size,         // "(redacted, 64 characters)"
  placeholder,  // "$SVC_SIGNATURE", for a shell
};

// The document with the values of secret members replaced at any depth.
[[nodiscard]] Json redacted(const Json& document, Mask mask);
// The id of a key is hidden too: a log need not say whose it is. `svc api` takes no such field.
[[nodiscard]] bool is_hidden_header(std::string_view name);
[[nodiscard]] std::string shown_header(std::string_view name, std::string_view value, Mask mask);

// The same of a JSON text; of a broken one only the size is shown.
[[nodiscard]] std::string shown_body(std::string_view body, Mask mask);

// A path and its query, with the values of secret parameters masked, such as a stream's token.
[[nodiscard]] std::string shown_target(std::string_view target, Mask mask);
[[nodiscard]] bool has_secret(std::string_view target);

// Whether the text holds the words of a recovery phrase, whatever stands between them. (BIP-39)
[[nodiscard]] bool has_phrase(std::string_view text);

// Hides in an answer what it repeats of the secrets of its request, as the page of a proxy does that shows what it got.
// A success keeps the id of the key: lists of keys contain it.
void hide_echo(const api::HttpRequest& request, api::HttpResponse& response);

// How curl is told the method: "-X POST", "-I".
[[nodiscard]] std::string curl_method(std::string_view method);

// The request as a curl command for a POSIX shell, with placeholders for secrets; `bearer` is the placeholder of a
// bearer token.
[[nodiscard]] std::string curl_command(const api::HttpRequest& request, std::string_view origin,
                                       std::string_view bearer = "$SVC_TOKEN");

// --record FILE: appends each request and its answer as one JSON object. Secrets, signatures and tokens are replaced,
// so that the file may be shown to others.

inline constexpr std::string_view record_is_no_file = "--record: - is no file to append to: name one, such as ./-";
// A file that cannot be appended to ends the command before anything is sent; the error says why.
Result<Descriptor, std::string> open_record(const std::string& file);
// False, with errno, if the file did not take the line. A reader of a pipe is waited for as in write_within().
[[nodiscard]] bool record_exchange(const Descriptor& file, const std::string& origin, const api::HttpRequest& request,
                                   const Result<api::HttpResponse, api::TransportError>& response,
                                   TimestampMs sent_at_ms, TimestampMs received_at_ms, std::int64_t& patience_ms);

}  // namespace svc::cli
