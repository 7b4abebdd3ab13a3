#include "cli/client/redaction.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/encoding.h"
#include "cli/terminal/text.h"
#include "signing/mnemonic.h"

namespace svc::cli {
namespace {

struct SecretName {
  std::string_view name;
  std::string_view placeholder;
  bool is_secret = true;  // false: useless, because a new signature needs a new value
};

constexpr std::array hidden_headers{
    SecretName{"X-Signature", "$SVC_SIGNATURE"},
    SecretName{"X-API-Key", "$SVC_API_KEY"},
    SecretName{"Authorization", "Bearer $SVC_TOKEN"},
    SecretName{"Proxy-Authorization", "$SVC_PROXY_AUTHORIZATION"},
    SecretName{"x-action-signature", "$SVC_ACTION_SIGNATURE"},
    SecretName{"Cookie", "$SVC_COOKIE"},
    SecretName{"Set-Cookie", "$SVC_COOKIE"},
    SecretName{"X-Timestamp", "$SVC_TIMESTAMP", false},
    SecretName{"x-nonce", "$SVC_NONCE", false},
    SecretName{"x-action-timestamp", "$SVC_ACTION_TIMESTAMP", false},
    SecretName{"x-action-nonce", "$SVC_ACTION_NONCE", false},
};
constexpr std::array secret_members{
    SecretName{"signature", "$SVC_SIGNATURE"}, SecretName{"secret", "$SVC_SECRET"},
    SecretName{"token", "$SVC_TOKEN"},         SecretName{"private_key", "$SVC_PRIVATE_KEY"},
    SecretName{"password", "$SVC_PASSWORD"},   SecretName{"passphrase", "$SVC_PASSPHRASE"},
    SecretName{"mnemonic", "$SVC_MNEMONIC"},   SecretName{"api_secret", "$SVC_API_SECRET"},
};

const SecretName* find_header(std::string_view name) {
  const auto found = std::ranges::find_if(hidden_headers,
                                          [&](const SecretName& one) { return api::same_header_name(one.name, name); });
  return found == hidden_headers.end() ? nullptr : &*found;
}

// A body's member or a query's parameter; null if its value is no secret.
const SecretName* find_member(std::string_view name) {
  const auto found = std::ranges::find(secret_members, name, &SecretName::name);
  return found == secret_members.end() ? nullptr : &*found;
}

struct QueryPart {
  std::string_view text, name, value;
  const SecretName* secret;
};

std::vector<QueryPart> query_parts(std::string_view target) {
  std::vector<QueryPart> parts;
  std::string_view rest = target.substr(std::min(target.size(), target.find('?')));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view text = rest.substr(0, rest.find('&'));
    rest.remove_prefix(text.size());
    const std::size_t equals = std::min(text.size(), text.find('='));
    const std::string_view name = text.substr(0, equals), value = text.substr(std::min(text.size(), equals + 1));
    // A name that cannot be read may be that of a secret.
    const std::string decoded = percent_decode_bytes(name, Plus::is_blank).value_or("secret");
    parts.push_back({.text = text,
                     .name = name,
                     .value = value,
                     .secret = value.empty() ? nullptr : find_member(lower_case(decoded))});
  }
  return parts;
}

std::string masked_value(std::string_view value, std::string_view placeholder, Mask mask) {
  if (mask == Mask::placeholder) return std::string(placeholder);
  return "(redacted, " + std::to_string(value.size()) + " characters)";
}

// In single quotes, except for placeholders, which the shell has to expand.
std::string shell_quoted(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find("$SVC_"); at != text.npos; at = text.find("$SVC_")) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
    out += concat(quoted_word(text.substr(0, at)), "\"", text.substr(at, end - at), "\"");
    text.remove_prefix(std::min(end, text.size()));
  }
  return out + quoted_word(text);
}

void collect_secrets(const Json& document, std::vector<std::string>& secrets) {
  for (const auto& [key, value] : document.members())
    if (value.is(Json::Kind::string) && find_member(key) != nullptr) secrets.push_back(value.text());
  for (const Json& value : document.items()) collect_secrets(value, secrets);
}

constexpr std::size_t secret_chars_min = 8;  // a shorter text may stand there for another reason

}  // namespace

Json redacted(const Json& document, Mask mask) {
  if (document.is(Json::Kind::array))
    return Json::list(document.items(), [&](const Json& item) { return redacted(item, mask); });
  if (!document.is(Json::Kind::object)) return document;
  Json copy = Json::object();
  for (const auto& [key, value] : document.members()) {
    const SecretName* secret = find_member(key);
    const bool hide = secret != nullptr && value.is(Json::Kind::string);
    copy.append(std::string(key),
                hide ? Json(masked_value(value.text(), secret->placeholder, mask)) : redacted(value, mask));
  }
  return copy;
}

bool is_secret_header(std::string_view name) {
  const SecretName* known = find_header(name);
  return known != nullptr && known->is_secret;
}

std::string shown_header(std::string_view name, std::string_view value, Mask mask) {
  const SecretName* known = find_header(name);
  const bool is_shown = known == nullptr || (!known->is_secret && mask == Mask::size);
  return is_shown ? std::string(value) : masked_value(value, known->placeholder, mask);
}

std::string shown_body(std::string_view body, Mask mask) {
  if (body.empty()) return {};
  const auto document = parse_json(body);
  if (!document) return "(" + std::to_string(body.size()) + " bytes that are not JSON)";
  return redacted(*document, mask).dump();
}

bool has_secret(std::string_view target) {
  return std::ranges::any_of(query_parts(target), [](const QueryPart& part) { return part.secret != nullptr; });
}

std::string shown_target(std::string_view target, Mask mask) {
  std::string shown(target.substr(0, target.find('?')));
  char before = '?';
  for (const QueryPart& part : query_parts(target)) {
    shown += std::exchange(before, '&');
    shown += part.secret == nullptr ? part.text : part.name;
    if (part.secret != nullptr) shown += "=" + masked_value(part.value, part.secret->placeholder, mask);
  }
  return shown;
}

bool has_phrase(std::string_view line) {
  constexpr int phrase_words_min = 12;
  int run = 0;
  while (!line.empty() && run < phrase_words_min) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::string bare = lower_case(trimmed(word, "'\","));
    const bool is_of_list =
        std::ranges::binary_search(signing::mnemonic_words, std::string_view(bare), {}, &signing::MnemonicWord::text);
    if (!word.empty()) run = is_of_list ? run + 1 : 0;
  }
  return run == phrase_words_min;
}

void hide_echo(const api::HttpRequest& request, api::HttpResponse& response) {
  const bool is_success = response.status >= 200 && response.status < 300;
  std::vector<std::string> secrets;
  for (const api::Header& header : request.headers) {
    const bool may_stand_there = is_success && api::same_header_name(header.name, "X-API-Key");
    if (!is_secret_header(header.name) || may_stand_there) continue;
    const bool has_scheme = api::same_header_name(header.name, "Authorization");
    secrets.push_back(has_scheme ? header.value.substr(header.value.find(' ') + 1) : header.value);
  }
  if (const auto body = parse_json(request.body)) collect_secrets(*body, secrets);
  for (const QueryPart& part : query_parts(request.target))
    if (part.secret != nullptr) secrets.emplace_back(part.value);
  std::erase_if(secrets, [](const std::string& secret) { return secret.size() < secret_chars_min; });
  const auto masked = [&](std::string text) {
    for (const std::string& secret : secrets) {
      const std::string mark = masked_value(secret, {}, Mask::size);
      for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + mark.size()))
        text.replace(at, secret.size(), mark);
    }
    return text;
  };
  response.body = masked(std::move(response.body));
  api::Headers headers;
  for (const api::Header& header : response.headers) headers.add(header.name, masked(header.value));
  response.headers = std::move(headers);
}

std::string curl_method(std::string_view method) {
  // A client may send any method, also one that a shell would run.
  const bool is_word = std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; });
  return method == "HEAD" ? "-I" : "-X " + (is_word ? std::string(method) : shell_quoted(method));
}

std::string curl_command(const api::HttpRequest& request, std::string_view origin, std::string_view bearer) {
  std::string command = "curl -sS " + curl_method(request.method) + " " +
                        shell_quoted(std::string(origin) + shown_target(request.target, Mask::placeholder));
  for (const api::Header& header : request.headers) {
    const bool is_bearer = api::same_header_name(header.name, "Authorization");
    const std::string value =
        is_bearer ? "Bearer " + std::string(bearer) : shown_header(header.name, header.value, Mask::placeholder);
    command += " -H " + shell_quoted(header.name + ": " + value);
  }
  if (!request.body.empty()) command += " --data-binary " + shell_quoted(shown_body(request.body, Mask::placeholder));
  return command;
}

Result<Descriptor, std::string> open_record(const std::string& file) {
  if (file == "-") return unexpected("--record: - is no file to append to: name one, such as ./-");
  Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600));
  if (!opened) return unexpected("--record: cannot append to " + file + ": " + std::strerror(errno));
  return opened;
}

bool record_exchange(const Descriptor& file, const std::string& origin, const api::HttpRequest& request,
                     const Result<api::HttpResponse, api::TransportError>& response, TimestampMs sent_at_ms,
                     TimestampMs received_at_ms) {
  const auto message = [](const auto& one) {
    Json headers = Json::object();
    for (const api::Header& header : one.headers)
      headers.append(header.name, shown_header(header.name, header.value, Mask::size));
    const Json body = one.body.empty() ? Json() : Json(shown_body(one.body, Mask::size));
    return Json::object({{"headers", std::move(headers)}, {"body", body}});
  };
  const Json line = Json::object({{"version", 1},
                                  {"time", utc_text(sent_at_ms)},
                                  {"time_ms", sent_at_ms},
                                  {"ms", received_at_ms - sent_at_ms},
                                  {"method", request.method},
                                  {"url", origin + shown_target(request.target, Mask::size)},
                                  {"request", message(request)},
                                  {"status", response ? Json(response->status) : Json()},
                                  {"response", response ? message(*response) : Json()},
                                  {"no_answer", response ? Json() : Json(response.error().reason)}});
  // One write, so that lines of several processes do not mix. On a full disk only the record is lost.
  const std::string text = line.dump() + "\n";
  return ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace svc::cli
