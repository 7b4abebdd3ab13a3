// The interface description: OpenAPI 3.1, derived from the operation table, the records and the error
// catalogue. The same terms give the same bytes.
//
// One description serves every network: all operations and twins are in it, those of older clients as
// deprecated, at addresses relative to its own. (D-144)
#pragma once

#include <string>

#include "api/network.h"
#include "api/version.h"

namespace svc::api {

struct OpenapiTerms {
  std::string title;            // display name of the exchange
  VersionPolicy versions = {};  // current is the version of the description
  NetworkMap networks = {};     // `x-svc-networks`
};

[[nodiscard]] std::string openapi_document(const OpenapiTerms& terms);

}  // namespace svc::api
