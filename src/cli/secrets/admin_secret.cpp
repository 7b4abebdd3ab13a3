#include "cli/secrets/admin_secret.h"

#include "cli/arguments.h"
#include "cli/secrets/secret_input.h"

namespace svc::cli {

void AdminSecretFlags::declare(Arguments& arguments) {
  arguments.text("--admin-secret-file", file, "FILE", "file with the operator secret (mode 0600; - for stdin)");
  arguments.integer("--admin-secret-fd", descriptor, "N", "descriptor to read the operator secret from");
}

Result<Secret, Failure> AdminSecretFlags::read(Context& context) const {
  const bool given = file || descriptor;
  return read_secret(context, {.what = "the operator secret",
                               .flag = "--admin-secret-file",
                               .file = given ? file : context.environment().variable("SVC_ADMIN_SECRET_FILE"),
                               .descriptor = descriptor,
                               .credential = "svc-admin-secret"});
}

}  // namespace svc::cli
