// The guide served as /llms.txt: what a program, or its author, needs to call the API, and every operation in one
// line. Derived from the operation table.
#pragma once

#include <string>

#include "api/contract/venue.h"
#include "api/version.h"

namespace svc::api {

struct PlainGuideTerms {
  std::string title;  // display name of the exchange
  VersionPolicy versions = {};
  NetworkTarget target = {};    // the serving network
  std::string host_root;        // of paths that begin with /api/v1, with a trailing slash
  std::string description_url;  // the OpenAPI document
};

[[nodiscard]] std::string plain_guide(const PlainGuideTerms& terms);

}  // namespace svc::api
