#include "cli/secrets/admin_secret.h"

#include <algorithm>

#include "cli/arguments.h"
#include "cli/secrets/secret_input.h"

namespace svc::cli {
namespace {

// What may stand behind "Bearer " in a header: visible ASCII, no blanks (RFC 6750 is narrower still).
bool fits_a_header(std::string_view secret) {
  return !secret.empty() && std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

void AdminSecretFlags::declare(Arguments& arguments) {
  arguments.text("--admin-secret-file", file, "FILE", "file with the operator secret (mode 0600; - for stdin)");
  arguments.integer("--admin-secret-fd", descriptor, "N", "descriptor to read the operator secret from");
}

Result<Secret, Failure> AdminSecretFlags::read(Context& context) const {
  const bool given = file || descriptor;
  auto secret = read_secret(context, {.what = "the operator secret",
                                      .flag = "--admin-secret-file",
                                      .file = given ? file : context.environment().variable("SVC_ADMIN_SECRET_FILE"),
                                      .descriptor = descriptor,
                                      .credential = "svc-admin-secret"});
  if (secret && !fits_a_header(secret->reveal())) {
    return unexpected(usage_error("the operator secret travels in a header: printable ASCII without blanks"));
  }
  return secret;
}

}  // namespace svc::cli
