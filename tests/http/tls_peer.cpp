#include "http/tls_peer.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <mutex>

#include "api/http/http_parser.h"

namespace svc::test {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

std::atomic<int> next_serial{1};

constexpr long day_s = 24 * 60 * 60;

std::unique_ptr<EVP_PKEY, Free> make_key() {
  return std::unique_ptr<EVP_PKEY, Free>(EVP_EC_gen("P-256"));
}

void extend(X509* certificate, X509* issuer, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str());
  X509_add_ext(certificate, made, -1);
  X509_EXTENSION_free(made);
}

std::unique_ptr<X509, Free> make_certificate(EVP_PKEY* key, const std::string& name, X509* issuer, EVP_PKEY* issuer_key,
                                             int extension, const std::string& extension_value) {
  const int serial = next_serial++;
  std::unique_ptr<X509, Free> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), day_s);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* const signer = issuer ? issuer : certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer));
  extend(certificate.get(), signer, extension, extension_value);
  X509_sign(certificate.get(), issuer_key, EVP_sha256());
  return certificate;
}

// Each authority has a name of its own.
std::string numbered(const std::string& name) {
  static std::atomic<int> next{1};
  return name + " " + std::to_string(next++);
}

}  // namespace

struct Authority::Leaf {
  std::unique_ptr<EVP_PKEY, Free> key;
  std::unique_ptr<X509, Free> certificate;
};

struct Authority::Native {
  std::filesystem::path folder;
  std::unique_ptr<EVP_PKEY, Free> key = make_key();
  std::unique_ptr<X509, Free> certificate = make_certificate(key.get(), numbered("svc test authority"), nullptr,
                                                             key.get(), NID_basic_constraints, "critical,CA:TRUE");
};

Authority::Authority() : native_(std::make_unique<Native>()) {
  std::string pattern = (std::filesystem::temp_directory_path() / "svc-authority-XXXXXX").string();
  native_->folder = ::mkdtemp(pattern.data());
  std::filesystem::create_directory(directory());
  std::FILE* const out = std::fopen(file().c_str(), "w");
  PEM_write_X509(out, native_->certificate.get());
  std::fclose(out);
  char hashed[16];
  std::snprintf(hashed, sizeof hashed, "%08lx.0", X509_subject_name_hash(native_->certificate.get()));
  std::filesystem::copy_file(file(), std::filesystem::path(directory()) / hashed);
}

Authority::~Authority() {
  std::filesystem::remove_all(native_->folder);
}

std::string Authority::file() const {
  return native_->folder / "authority.pem";
}
std::string Authority::directory() const {
  return native_->folder / "hashed";
}

std::shared_ptr<Authority::Leaf> Authority::issue(const std::string& names) {
  auto leaf = std::make_shared<Leaf>();
  leaf->key = make_key();
  leaf->certificate = make_certificate(leaf->key.get(), "svc test server", native_->certificate.get(),
                                       native_->key.get(), NID_subject_alt_name, names);
  return leaf;
}

std::shared_ptr<Authority::Leaf> Authority::issue_by_common_name(const std::string& name) {
  auto leaf = std::make_shared<Leaf>();
  leaf->key = make_key();
  leaf->certificate = make_certificate(leaf->key.get(), name, native_->certificate.get(), native_->key.get(),
                                       NID_basic_constraints, "CA:FALSE");
  return leaf;
}

TlsPeer::TlsPeer(std::shared_ptr<Authority::Leaf> leaf, std::string answer)
    : leaf_(std::move(leaf)), answer_(std::move(answer)), thread_([this] {
        for (int fd = listener_.accept(); fd >= 0; fd = listener_.accept()) {
          serve(fd);
          ::close(fd);
        }
      }) {}

TlsPeer::~TlsPeer() {
  listener_.shut_down();
  thread_.join();
}

std::string TlsPeer::server_name() const {
  const std::lock_guard lock(mutex_);
  return server_name_;
}

void TlsPeer::serve(int fd) {
  const timeval patience{patience_ms / 1000, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), leaf_->certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), leaf_->key.get());
  const std::unique_ptr<SSL, Free> ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd);
  if (SSL_accept(ssl.get()) != 1) return;
  {
    const std::lock_guard lock(mutex_);
    const char* const name = SSL_get_servername(ssl.get(), TLSEXT_NAMETYPE_host_name);
    server_name_ = name ? name : "";
  }
  api::RequestParser parser(
      {.start_line_bytes_max = 1000, .header_bytes_max = 10'000, .header_fields_max = 100, .body_bytes_max = 1 << 20});
  std::string input;
  std::array<char, 4096> buffer;
  while (true) {
    input.erase(0, parser.feed(input));
    if (parser.state() == api::ParserState::complete) {
      ++requests_;
      if (SSL_write(ssl.get(), answer_.data(), static_cast<int>(answer_.size())) <= 0) return;
      if (answer_.find("Content-Length") == std::string::npos) {
        // The end of the bytes is the end of the answer: said inside TLS, or just hung up.
        if (answer_.find("X-Orderly") != std::string::npos) SSL_shutdown(ssl.get());
        return;
      }
      parser.reset();
      continue;
    }
    const int count = SSL_read(ssl.get(), buffer.data(), static_cast<int>(buffer.size()));
    if (count <= 0) return;
    input.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace svc::test
