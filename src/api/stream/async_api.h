// The description of the streams: AsyncAPI 3.0, derived from the channel table and the records of frames.
// The same terms give the same bytes.
#pragma once

#include <string>

#include "api/version.h"

namespace svc::api {

struct AsyncApiTerms {
  std::string title;                    // display name of the exchange
  ApiVersion version{0, 9, 0};          // of the description
  std::string host = "localhost:9090";  // host by which the client reached the server
};

[[nodiscard]] std::string async_api_document(const AsyncApiTerms& terms);

}  // namespace svc::api
