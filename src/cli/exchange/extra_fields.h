// Members of an answer that its record does not have: a newer server may say more than this program
// knows. They stay visible, apart from what is documented.
#pragma once

#include "api/type_info.h"
#include "cli/json.h"

namespace svc::cli {

// The document with unknown members of each record gathered in a member `extra` of that record.
[[nodiscard]] Json with_extra(const Json& document, const api::TypeInfo& type);

}  // namespace svc::cli
