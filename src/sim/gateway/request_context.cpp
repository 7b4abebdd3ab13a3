#include "sim/gateway/request_context.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "api/codec.h"
#include "api/http/url.h"
#include "api/network.h"
#include "api/operation_list.h"
#include "api/record.h"
#include "base/assert.h"
#include "base/find.h"
#include "base/shown_text.h"
#include "sim/gateway/network_instance.h"

namespace svc::sim {
namespace {

constexpr std::size_t plain_name_chars_max = 32;
constexpr std::size_t authority_chars_max = 255;
constexpr std::size_t unknown_parameters_listed_max = 8;

}  // namespace

std::vector<std::string_view> query_parameters(const api::Operation& operation) {
  std::vector<std::string_view> names;
  const api::OperationEntry* entry = api::find_operation(operation.name);
  if (entry == nullptr) return names;  // a document
  for (const api::FieldInfo& field : entry->request().fields)
    if (field.in == api::In::query) names.push_back(field.name);
  return names;
}

void RequestContext::note_query() {
  std::string_view rest = request.query();
  if (rest.empty()) return;
  const std::vector<std::string_view> known = query_parameters(*operation);
  std::vector<std::string> seen;
  std::size_t listed = 0;
  while (!rest.empty()) {
    const std::string_view parameter = take_line(rest, '&');
    if (parameter.empty()) continue;
    const std::string_view encoded = parameter.substr(0, parameter.find('='));
    const auto name = api::percent_decode(encoded, api::Plus::is_blank);
    const bool is_known = name && is_among(*name, known);
    const bool is_repeated = is_known && is_among(*name, seen);
    if (is_known && !is_repeated) {
      seen.push_back(*name);
      continue;
    }
    if (!unknown_parameters.empty()) unknown_parameters += ", ";
    if (listed++ == unknown_parameters_listed_max) {
      unknown_parameters += "...";
      return;
    }
    // Anything but an ordinary name is not repeated: it may be a value, even a secret.
    const bool is_ordinary = is_plain_word(encoded, plain_name_chars_max);
    unknown_parameters.append(is_ordinary ? encoded : "?").append(is_repeated ? " (again)" : "");
  }
}

const VenueAccess& RequestContext::venue() const {
  SVC_ASSERT(network->venue);
  return *network->venue;
}

api::ApiError RequestContext::refuse_shared_name() {
  const NetworkSettings& settings = network->settings;
  SVC_ASSERT(settings.domain_name_owner);
  return refuse_credential(AuthFault::other_networks_name,
                           "the name \"" + settings.domain_name + "\" is that of " +
                               std::string(api::to_string(*settings.domain_name_owner)));
}

Result<void, api::ApiError> RequestContext::spend_owner_nonce(const Address& owner, std::uint64_t nonce) {
  const SpentNonce spent{NonceSequence::owners, owner, nonce};
  if (!network->services.look()->nonces.is_fresh(spent))
    return unexpected(refuse_credential(AuthFault::nonce_not_increasing));
  nonces.push_back(spent);
  return {};
}

SingleHeader single_header(const api::Headers& headers, std::string_view name) {
  SingleHeader found;
  for (const api::Header& field : headers) {
    if (!api::same_header_name(field.name, name)) continue;
    if (found.state != SingleHeader::State::absent || field.value.empty()) return {SingleHeader::State::unusable, {}};
    found = {SingleHeader::State::present, field.value};
  }
  return found;
}

std::optional<std::string> normal_address(std::string_view text) {
  constexpr std::string_view v4_as_v6("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
  std::string bytes = api::address_bytes(std::string(text));
  if (bytes.empty()) return std::nullopt;
  if (bytes.starts_with(v4_as_v6)) bytes.erase(0, v4_as_v6.size());
  std::array<char, INET6_ADDRSTRLEN> spelling{};
  const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
  return inet_ntop(family, bytes.data(), spelling.data(), spelling.size());
}

bool is_loopback_address(std::string_view text) {
  const auto normal = normal_address(text);
  return normal && (*normal == "::1" || normal->starts_with("127."));
}

std::optional<std::string> client_address(const api::Headers& headers, std::string_view peer_address,
                                          std::string_view header_name) {
  if (header_name.empty()) return peer_address.empty() ? std::nullopt : std::optional<std::string>(peer_address);
  const SingleHeader header = single_header(headers, header_name);
  if (header.state != SingleHeader::State::present) return std::nullopt;
  return normal_address(header.value);
}

std::string host_name(const api::Headers& headers) {
  const SingleHeader field = single_header(headers, "Host");
  if (field.state != SingleHeader::State::present) return {};
  std::string_view host = field.value;
  if (const auto bracket = host.find(']'); bracket != std::string_view::npos) {
    host = host.substr(0, bracket + 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower_case(host);
}

std::string request_authority(const api::Headers& headers) {
  const SingleHeader host = single_header(headers, "Host");
  // Host names and addresses with an optional port; nothing that could break out of a URL.
  return std::string(is_plain_word(host.value, authority_chars_max, ".:[]") ? host.value : api::local_authority);
}

std::string public_url(const std::string& path_or_url, const api::Headers& headers) {
  if (!path_or_url.starts_with('/')) return path_or_url;
  return "http://" + request_authority(headers) + path_or_url;
}

void RequestLog::add(const RequestNote& request) {
  const std::lock_guard lock(mutex_);
  const std::size_t place = last_number_++ % capacity_;
  if (place == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[place];
  kept.request = request;
  kept.request.method = kept.request.path = {};  // of a request that will be gone
  kept.request.note.resize(std::min(request.note.size(), limits::request_log_text_max));
  kept.method = request.method.substr(0, limits::request_log_text_max);
  kept.path = request.path.substr(0, limits::request_log_text_max);
}

std::vector<RequestLogEntry> RequestLog::since(std::uint64_t after) const {
  const auto text = [](std::string_view word) { return if_any(std::string(word)); };
  const std::lock_guard lock(mutex_);
  std::vector<RequestLogEntry> entries;
  for (std::uint64_t number = std::max(after, last_number_ - kept_.size()); number < last_number_;) {
    const Kept& kept = kept_[number++ % capacity_];
    const RequestNote& request = kept.request;
    entries.push_back({.number = number,
                       .received_at_ms = request.received_at_ms,
                       .network = text(request.network),
                       .method = kept.method,
                       .path = kept.path,
                       .operation = text(request.operation),
                       .credential = text(request.credential),
                       .account = request.account ? std::optional(to_string(*request.account)) : std::nullopt,
                       .status = request.status,
                       .code = text(request.code),
                       .rule = text(request.rule),
                       .note = if_any(request.note),
                       .bucket = text(request.bucket),
                       .cost = request.cost});
  }
  return entries;
}

std::string pretty_line(const RequestLogEntry& entry) {
  // The client chose the bytes of the path.
  const auto printable = [](std::string_view text) { return escaped(text, {}, OddBytes::are_escaped); };
  // The time of day is enough for a terminal.
  std::string line = utc_text(entry.received_at_ms).substr(11, 12);
  line += ' ' + std::to_string(entry.status) + ' ' + printable(entry.method) + ' ' + printable(entry.path);
  if (entry.credential && entry.credential != "none") line += ' ' + *entry.credential;
  if (entry.account) line += ' ' + *entry.account;
  if (entry.code) line += ": " + *entry.code;
  if (entry.rule) line += (entry.code ? ", " : ": ") + *entry.rule;
  if (entry.note) line += " (" + printable(*entry.note) + ")";
  return line;
}

std::string RequestFollower::new_lines() {
  if (style_ == LogStyle::none) return {};
  std::string lines;
  for (const RequestLogEntry& entry : log_.since(seen_)) {
    const std::uint64_t lost = entry.number - seen_ - 1;
    const bool shown = style_ != LogStyle::failed || entry.status >= 400 || entry.status == 0;
    seen_ = entry.number;
    if (!shown) continue;
    if (lost > 0 && style_ == LogStyle::pretty) lines += "... " + std::to_string(lost) + " requests not shown\n";
    if (lost > 0 && style_ == LogStyle::json) lines += "{\"requests_not_shown\":" + std::to_string(lost) + "}\n";
    lines += (style_ == LogStyle::json ? api::to_json(entry) : pretty_line(entry)) + '\n';
  }
  return lines;
}

}  // namespace svc::sim
