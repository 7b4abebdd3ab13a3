#include "cli/client/redaction.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/header_names.h"
#include "api/secret_names.h"
#include "base/encoding.h"
#include "cli/machine/programs.h"
#include "cli/terminal/text.h"
#include "signing/mnemonic.h"

namespace svc::cli {
namespace {

// In a command for a shell, what a new signature needs anew.
constexpr std::array renewed_headers{api::header::timestamp, api::header::nonce, api::header::action_timestamp,
                                     api::header::action_nonce};

// "$SVC_ACTION_SIGNATURE", a variable of a shell.
std::string placeholder_of(std::string_view name) {
  std::string word = upper_case(name);
  if (word == "AUTHORIZATION") return "Bearer $SVC_TOKEN";
  std::ranges::replace_if(
      word, [](char c) { return !(c >= 'A' && c <= 'Z'); }, '_');
  return "$SVC_" + (word.starts_with("X_") ? word.substr(2) : word);
}

struct QueryPart {
  std::string_view text, name, value;
  bool is_secret;
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
    parts.push_back(
        {.text = text, .name = name, .value = value, .is_secret = !value.empty() && api::is_secret_member(decoded)});
  }
  return parts;
}

std::string masked_value(std::string_view name, std::string_view value, Mask mask) {
  if (mask == Mask::placeholder) return placeholder_of(name);
  return "(redacted, " + std::to_string(value.size()) + " characters)";
}

// What the user's own text has in place of the first letters of a placeholder until it is quoted: with a noncharacter
// of Unicode, U+FFFF. Where the user's text has that itself, "$\uFFFFSVC_", the command has "$SVC_".
constexpr std::string_view placeholder_begin = "$SVC_", own_begin = "$\xEF\xBF\xBFSVC_";

std::string with_own_apart(std::string_view text) {
  return with_each(text, placeholder_begin, own_begin);
}

// In single quotes, except for placeholders, which the shell has to expand.
std::string shell_quoted(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find(placeholder_begin); at != text.npos; at = text.find(placeholder_begin)) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
    out += concat(quoted_word(text.substr(0, at)), "\"", text.substr(at, end - at), "\"");
    text.remove_prefix(std::min(end, text.size()));
  }
  return with_each(out + quoted_word(text), own_begin, placeholder_begin);
}

void collect_secrets(const Json& document, std::vector<std::string>& secrets) {
  for (const auto& [key, value] : document.members())
    if (value.is(Json::Kind::string) && api::is_secret_member(key)) secrets.push_back(value.text());
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
    const bool hide = value.is(Json::Kind::string) && api::is_secret_member(key);
    copy.append(std::string(key), hide ? Json(masked_value(key, value.text(), mask)) : redacted(value, mask));
  }
  return copy;
}

bool is_hidden_header(std::string_view name) {
  return api::is_secret_header(name) || api::same_header_name(name, api::header::api_key);
}

std::string shown_header(std::string_view name, std::string_view value, Mask mask) {
  const auto is_it = [&](std::string_view one) { return api::same_header_name(one, name); };
  const bool is_renewed = mask == Mask::placeholder && std::ranges::any_of(renewed_headers, is_it);
  const bool is_hidden = is_hidden_header(name) || is_renewed;
  return is_hidden ? masked_value(name, value, mask) : std::string(value);
}

std::string shown_body(std::string_view body, Mask mask) {
  if (body.empty()) return {};
  const auto document = parse_json(body);
  if (!document) return "(" + std::to_string(body.size()) + " bytes that are not JSON)";
  return redacted(*document, mask).dump();
}

bool has_secret(std::string_view target) {
  return std::ranges::any_of(query_parts(target), &QueryPart::is_secret);
}

std::string shown_target(std::string_view target, Mask mask) {
  std::string shown(target.substr(0, target.find('?')));
  char before = '?';
  for (const QueryPart& part : query_parts(target)) {
    shown += std::exchange(before, '&');
    shown += part.is_secret ? part.name : part.text;
    if (part.is_secret)
      shown += "=" + masked_value(percent_decode_bytes(part.name, Plus::is_blank).value_or("secret"), part.value, mask);
  }
  return shown;
}

bool has_phrase(std::string_view text) {
  constexpr int phrase_words_min = 12;
  const auto is_letter = [](char c) { return lower_letter(c) >= 'a' && lower_letter(c) <= 'z'; };
  int run = 0;
  for (auto begin = std::ranges::find_if(text, is_letter); begin != text.end() && run < phrase_words_min;) {
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    const std::string word = lower_case({begin, end});
    const bool is_of_list =
        std::ranges::binary_search(signing::mnemonic_words, std::string_view(word), {}, &signing::MnemonicWord::text);
    run = is_of_list ? run + 1 : 0;
    begin = std::find_if(end, text.end(), is_letter);
  }
  return run == phrase_words_min;
}

void hide_echo(const api::HttpRequest& request, api::HttpResponse& response) {
  const bool is_success = response.status >= 200 && response.status < 300;
  std::vector<std::string> secrets;
  for (const api::Header& header : request.headers) {
    const bool may_stand_there = is_success && api::same_header_name(header.name, api::header::api_key);
    if (!is_hidden_header(header.name) || may_stand_there) continue;
    const bool has_scheme = api::same_header_name(header.name, api::header::authorization);
    secrets.emplace_back(has_scheme ? header.value.substr(header.value.find(' ') + 1) : header.value);
  }
  if (const auto body = parse_json(request.body)) collect_secrets(*body, secrets);
  for (const QueryPart& part : query_parts(request.target))
    if (part.is_secret) secrets.emplace_back(part.value);
  std::erase_if(secrets, [](const std::string& secret) { return secret.size() < secret_chars_min; });
  // A server that tells which signature it expected may print its digits in the other case.
  const auto masked = [&](std::string text) {
    std::string searched = lower_case(text);
    for (const std::string& secret : secrets) {
      const std::string mark = masked_value({}, secret, Mask::size), sought = lower_case(secret);
      for (std::size_t at = 0; (at = searched.find(sought, at)) != searched.npos; at += mark.size())
        for (std::string* const one : {&text, &searched}) one->replace(at, sought.size(), mark);
    }
    return text;
  };
  response.body = masked(std::move(response.body));
  if (response.body.find('\\') != std::string::npos) {
    const auto body = parse_json(response.body);  // which undoes escapes
    const std::string plain = body ? body->dump() : "";
    if (std::string shown = masked(plain); shown != plain) response.body = std::move(shown);
  }
  api::Headers headers;
  for (const api::Header& header : response.headers) headers.add(header.name, masked(std::string(header.value)));
  response.headers = std::move(headers);
}

std::string curl_method(std::string_view method) {
  // A client may send any method, also one that a shell would run.
  const bool is_word = std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; });
  return method == "HEAD" ? "-I" : "-X " + (is_word ? std::string(method) : shell_quoted(method));
}

std::string curl_command(const api::HttpRequest& request, std::string_view origin, std::string_view bearer) {
  std::string command =
      "curl -sS " + curl_method(request.method) + " " +
      shell_quoted(std::string(origin) + shown_target(with_own_apart(request.target), Mask::placeholder));
  for (const api::Header& header : request.headers) {
    const bool is_bearer = api::same_header_name(header.name, api::header::authorization);
    const std::string value = is_bearer ? "Bearer " + std::string(bearer)
                                        : shown_header(header.name, with_own_apart(header.value), Mask::placeholder);
    command += " -H " + shell_quoted(with_own_apart(header.name) + ": " + value);
  }
  if (request.body.empty()) return command;
  const auto document = parse_json(request.body);  // which undoes escapes
  const std::string body = document ? with_own_apart(document->dump()) : request.body;
  return command + " --data-binary " + shell_quoted(shown_body(body, Mask::placeholder));
}

Result<Descriptor, std::string> open_record(const std::string& file) {
  if (file == "-") return unexpected(std::string(record_is_no_file));
  Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  const char* why = errno == ENXIO ? "nobody reads it" : std::strerror(errno);  // a pipe
  if (!opened) return unexpected("--record: cannot append to " + file + ": " + why);
  return opened;
}

bool record_exchange(const Descriptor& file, const std::string& origin, const api::HttpRequest& request,
                     const Result<api::HttpResponse, api::TransportError>& response, TimestampMs sent_at_ms,
                     TimestampMs received_at_ms, std::int64_t& patience_ms) {
  const auto message = [](const auto& one) {
    Json headers = Json::object();
    for (const api::Header& header : one.headers)
      headers.append(std::string(header.name), shown_header(header.name, header.value, Mask::size));
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
  const NoPipeSignal none;
  const ssize_t taken = ::write(file.get(), text.data(), text.size());
  if (taken < 0 && errno != EAGAIN) return false;
  const std::string_view left = std::string_view(text).substr(static_cast<std::size_t>(std::max<ssize_t>(taken, 0)));
  return write_within(file.get(), left, patience_ms) == Written::whole;
}

}  // namespace svc::cli
