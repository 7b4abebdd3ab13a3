#include "api/http/channel.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include "base/loaded_library.h"

namespace svc::api {

Deadline deadline_in(std::int64_t ms) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}

int remaining_ms(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

namespace {

// A thread may run several fibers, each with its own.
thread_local std::vector<const std::function<bool()>*> ends_waits;

bool is_over(Deadline deadline) {
  return remaining_ms(deadline) == 0 || std::ranges::any_of(ends_waits, [](const auto* now) { return (*now)(); });
}

// How long to wait before is_over() is asked again.
Deadline next_look(Deadline deadline) {
  constexpr int look_ms = 100;
  return ends_waits.empty() ? deadline : std::min(deadline, deadline_in(look_ms));
}

std::string error_text(int number) {
  return std::generic_category().message(number);
}

ChannelError timed_out() {
  return {ChannelError::Kind::timed_out, "timed out"};
}

ChannelError socket_error(int number) {
  const bool ended = number == ECONNRESET || number == EPIPE || number == ENOTCONN;
  return {ended ? ChannelError::Kind::ended : ChannelError::Kind::other, error_text(number)};
}

SocketAddress address_of(const sockaddr* address, socklen_t size) {
  SocketAddress out;
  std::memcpy(&out.storage, address, size);
  out.size = size;
  return out;
}

SocketAddress address_of(std::string_view bytes, std::uint16_t port) {
  if (bytes.size() == sizeof(in_addr)) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, bytes.data(), bytes.size());
    return address_of(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
  return address_of(reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

using Addresses = Result<std::vector<SocketAddress>, ChannelError>;

Addresses look_up(const HostPort& place) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int outcome = ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &list);
  if (outcome != 0) return unexpected(ChannelError{ChannelError::Kind::other, ::gai_strerror(outcome)});
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = list; one; one = one->ai_next)
    addresses.push_back(address_of(one->ai_addr, one->ai_addrlen));
  ::freeaddrinfo(list);
  return addresses;
}

Addresses ask_resolver(const HostPort& place, Deadline deadline) {
  std::packaged_task<Addresses()> task([place] { return look_up(place); });
  std::future<Addresses> answer = task.get_future();
  std::thread thread(std::move(task));
  while (!is_over(deadline) && answer.wait_until(next_look(deadline)) != std::future_status::ready) {
  }
  if (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    thread.detach();  // getaddrinfo cannot be interrupted; it has its own deadlines (D-163)
    return unexpected(timed_out());
  }
  thread.join();
  return answer.get();
}

Result<std::unique_ptr<TcpChannel>, ChannelError> connect_to(const SocketAddress& address, Deadline deadline) {
  Descriptor socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return unexpected(socket_error(errno));
  const int fd = socket.get();
  auto channel = std::make_unique<TcpChannel>(std::move(socket));
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return channel;
  if (errno != EINPROGRESS) return unexpected(socket_error(errno));
  SVC_TRY(channel->wait(POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return unexpected(socket_error(error));
  return channel;
}

// The functions of OpenSSL under their own names, so that its macros find them here: pointers into the library that the
// first TLS connection loads. Linked in, relocating its tables took a third of the page faults of every start. (D-936)
// clang-format off
#define SVC_OPENSSL(X)                                                                                                \
  X(BIO_clear_flags) X(BIO_get_data) X(BIO_get_new_index) X(BIO_meth_free) X(BIO_meth_new) X(BIO_meth_set_ctrl)       \
  X(BIO_meth_set_read) X(BIO_meth_set_write) X(BIO_new) X(BIO_set_data) X(BIO_set_flags) X(BIO_set_init)              \
  X(BIO_test_flags) X(ERR_clear_error) X(ERR_get_error) X(ERR_peek_error) X(ERR_reason_error_string) X(SSL_CTX_ctrl)  \
  X(SSL_CTX_free) X(SSL_CTX_load_verify_dir) X(SSL_CTX_load_verify_file) X(SSL_CTX_new) X(SSL_CTX_set_verify)         \
  X(SSL_connect) X(SSL_ctrl) X(SSL_free) X(SSL_get0_param) X(SSL_get_error) X(SSL_get_shutdown)                       \
  X(SSL_get_verify_result) X(SSL_new) X(SSL_peek_ex) X(SSL_pending) X(SSL_read_ex) X(SSL_set1_host) X(SSL_set_bio)    \
  X(SSL_set_hostflags) X(SSL_shutdown) X(SSL_write_ex) X(TLS_client_method) X(X509_VERIFY_PARAM_set1_ip_asc)          \
  X(X509_verify_cert_error_string)
// clang-format on

#define SVC_POINTER(name) decltype(&::name) name = nullptr;
SVC_OPENSSL(SVC_POINTER)
#undef SVC_POINTER

// False if OpenSSL 3 is not installed.
bool load_openssl() {
  static const bool is_loaded = [] {
    LoadedLibrary library("libssl.so.3");
#define SVC_FIND(name) name = library.find(#name);
    SVC_OPENSSL(SVC_FIND)
#undef SVC_FIND
    return library.is_whole();
  }();
  return is_loaded;
}
#undef SVC_OPENSSL

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : "unknown reason";
}

TcpChannel& tcp_of(BIO* bio) {
  return *static_cast<TcpChannel*>(BIO_get_data(bio));
}

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: a reset would kill a program that keeps the
// default SIGPIPE, as one in a pipeline must.
int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = tcp_of(bio).send_now({bytes, static_cast<std::size_t>(size)});
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int bio_read(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = tcp_of(bio).receive_now({into, static_cast<std::size_t>(size)});
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(count);
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

std::unique_ptr<BIO_METHOD, Free> make_bio_method() {
  std::unique_ptr<BIO_METHOD, Free> method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tcp channel"));
  BIO_meth_set_write(method.get(), bio_write);
  BIO_meth_set_read(method.get(), bio_read);
  BIO_meth_set_ctrl(method.get(), bio_control);
  return method;
}

class TlsChannel final : public Channel {
 public:
  TlsChannel(std::unique_ptr<TcpChannel> tcp, std::unique_ptr<SSL, Free> ssl)
      : tcp_(std::move(tcp)), ssl_(std::move(ssl)) {}

  ~TlsChannel() override {
    // Sends close_notify without waiting for the peer's.
    if (established_) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  Result<void, ChannelError> shake_hands(Deadline deadline) {
    auto done = attempt(deadline, [&] { return SSL_connect(ssl_.get()); });
    established_ = done.has_value();
    return done;
  }

  Result<std::size_t, ChannelError> read_some(std::span<char> into, Deadline deadline) override {
    std::size_t count = 0;
    auto done = attempt(deadline, [&] { return SSL_read_ex(ssl_.get(), into.data(), into.size(), &count); });
    if (done) return count;
    if (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) return std::size_t{0};
    return unexpected(std::move(done).error());
  }

  Result<void, ChannelError> write(std::string_view bytes, Deadline deadline) override {
    if (bytes.empty()) return {};
    std::size_t count = 0;
    return attempt(deadline, [&] { return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count); });
  }

  [[nodiscard]] std::uint64_t bytes_sent() const override { return tcp_->bytes_sent(); }

  [[nodiscard]] bool quiet() override {
    if (SSL_pending(ssl_.get()) > 0) return false;
    if (tcp_->quiet()) return true;
    // Session tickets are not part of an answer.
    std::array<char, 1> first;
    std::size_t count = 0;
    ERR_clear_error();
    const int peeked = SSL_peek_ex(ssl_.get(), first.data(), first.size(), &count);
    return peeked != 1 && SSL_get_error(ssl_.get(), peeked) == SSL_ERROR_WANT_READ;
  }

 private:
  // Repeats the call, waiting in between for what it needs.
  template <class Call>
  Result<void, ChannelError> attempt(Deadline deadline, Call call) {
    while (true) {
      ERR_clear_error();
      errno = 0;
      const int outcome = call();
      if (outcome == 1) return {};
      const int system_error = errno;
      switch (SSL_get_error(ssl_.get(), outcome)) {
        case SSL_ERROR_WANT_READ: SVC_TRY(tcp_->wait(POLLIN, deadline)); break;
        case SSL_ERROR_WANT_WRITE: SVC_TRY(tcp_->wait(POLLOUT, deadline)); break;
        case SSL_ERROR_ZERO_RETURN:
          return unexpected(ChannelError{ChannelError::Kind::ended, "the connection was closed"});
        case SSL_ERROR_SYSCALL:
          return unexpected(ChannelError{ChannelError::Kind::ended,
                                         system_error == 0 ? "the connection broke" : error_text(system_error)});
        default: return unexpected(failure());
      }
    }
  }

  ChannelError failure() {
    const unsigned long code = ERR_peek_error();
    // The peer hung up without close_notify: anybody could have truncated the data.
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      ERR_clear_error();
      return {ChannelError::Kind::ended, "the connection ended without a TLS close"};
    }
    established_ = false;  // the library forbids a shutdown after this
    std::string reason = openssl_reason();
    if (const long verified = SSL_get_verify_result(ssl_.get()); verified != X509_V_OK) {
      reason = std::string("certificate verify failed: ") + X509_verify_cert_error_string(verified);
    }
    return {ChannelError::Kind::other, std::move(reason)};
  }

  std::unique_ptr<TcpChannel> tcp_;
  std::unique_ptr<SSL, Free> ssl_;  // reads and writes through tcp_
  bool established_ = false;
};

}  // namespace

EndsWaits::EndsWaits(const std::function<bool()>& now) : now_(now) {
  ends_waits.push_back(&now_);
}

EndsWaits::~EndsWaits() {
  std::erase(ends_waits, &now_);
}

Result<std::vector<SocketAddress>, ChannelError> resolve(const HostPort& place, Deadline deadline) {
  if (const std::string bytes = address_bytes(place.host); !bytes.empty())
    return std::vector{address_of(bytes, place.port)};
  if (is_loopback(place.host))
    return std::vector{address_of(address_bytes("127.0.0.1"), place.port),
                       address_of(address_bytes("::1"), place.port)};
  return ask_resolver(place, deadline);
}

Result<std::unique_ptr<TcpChannel>, ChannelError> TcpChannel::connect(const HostPort& place, Deadline deadline) {
  auto addresses = SVC_TRY(resolve(place, deadline));
  ChannelError last{ChannelError::Kind::other, "the name has no address"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // An unresponsive address leaves time for the following ones.
    const auto attempts = static_cast<std::int64_t>(addresses.size() - i);
    auto channel = connect_to(addresses[i], deadline_in(remaining_ms(deadline) / attempts));
    if (channel) return channel;
    last = std::move(channel).error();
  }
  return unexpected(std::move(last));
}

ssize_t TcpChannel::receive_now(std::span<char> into) {
  return ::recv(socket_.get(), into.data(), into.size(), 0);
}

ssize_t TcpChannel::send_now(std::string_view bytes) {
  const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count > 0) bytes_sent_ += static_cast<std::uint64_t>(count);
  return count;
}

Result<void, ChannelError> TcpChannel::wait(short poll_events, Deadline deadline) {
  while (true) {
    pollfd entry{socket_.get(), poll_events, 0};
    const int ready = ::poll(&entry, 1, remaining_ms(next_look(deadline)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return unexpected(socket_error(errno));
    if (is_over(deadline)) return unexpected(timed_out());
  }
}

Result<std::size_t, ChannelError> TcpChannel::read_some(std::span<char> into, Deadline deadline) {
  while (true) {
    if (is_drained_) SVC_TRY(wait(POLLIN, deadline));
    const ssize_t count = receive_now(into);
    is_drained_ = count < static_cast<ssize_t>(into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return unexpected(socket_error(errno));
  }
}

Result<void, ChannelError> TcpChannel::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t count = send_now(bytes);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      SVC_TRY(wait(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return unexpected(socket_error(errno));
    }
  }
  return {};
}

bool TcpChannel::quiet() {
  pollfd entry{socket_.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 0;
}

struct TlsContext {
  std::unique_ptr<SSL_CTX, Free> context;
  std::unique_ptr<BIO_METHOD, Free> bio_method;
};

Result<std::shared_ptr<TlsContext>, std::string> make_tls_context(const std::string& certificate_authorities) {
  const std::string where = "certificate authorities " + certificate_authorities + ": ";
  struct stat status {};
  if (::stat(certificate_authorities.c_str(), &status) != 0) {
    return unexpected(where + error_text(errno));
  }
  if (!load_openssl())
    return unexpected("TLS needs OpenSSL 3, libssl.so.3, which is not installed; try: apt-get install libssl3");
  auto made = std::make_shared<TlsContext>();
  made->context.reset(SSL_CTX_new(TLS_client_method()));
  made->bio_method = make_bio_method();
  SSL_CTX* const context = made->context.get();
  if (!context || !made->bio_method) return unexpected("TLS: " + openssl_reason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const int loaded = S_ISDIR(status.st_mode) ? SSL_CTX_load_verify_dir(context, certificate_authorities.c_str())
                                             : SSL_CTX_load_verify_file(context, certificate_authorities.c_str());
  if (loaded != 1) return unexpected(where + openssl_reason());
  return made;
}

Result<std::unique_ptr<Channel>, ChannelError> secure(std::unique_ptr<TcpChannel> tcp, TlsContext& context,
                                                      const std::string& name, Deadline deadline) {
  std::unique_ptr<SSL, Free> ssl(SSL_new(context.context.get()));
  BIO* const bio = ssl ? BIO_new(context.bio_method.get()) : nullptr;
  if (!bio) return unexpected(ChannelError{ChannelError::Kind::other, openssl_reason()});
  BIO_set_data(bio, tcp.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl.get(), bio, bio);
  int named = 0;
  if (!address_bytes(name).empty()) {
    named = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), name.c_str());
  } else {
    // The common name may be anything that was typed for it: only the alternative names name servers. (RFC 9525)
    SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    named = SSL_set_tlsext_host_name(ssl.get(), name.c_str()) == 1 ? SSL_set1_host(ssl.get(), name.c_str()) : 0;
  }
  if (named != 1) return unexpected(ChannelError{ChannelError::Kind::other, openssl_reason()});
  auto channel = std::make_unique<TlsChannel>(std::move(tcp), std::move(ssl));
  SVC_TRY(channel->shake_hands(deadline));
  return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace svc::api
