// The documents that other signers take (eth_signTypedData_v4) for the structs that this program signs. Their
// digest is the one that it would sign itself: typed_data_document.h reads them back.
#pragma once

#include <string>

#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/register_agent.h"
#include "signing/transfer_intent.h"
#include "signing/withdraw_intent.h"

namespace svc::signing {

[[nodiscard]] std::string typed_data_text(const Domain& domain, const ActionStruct& action);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const EnrollTransferAccount& enrolment);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const TransferIntent& intent);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const ListTransfers& request);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const ReadTransfer& request);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const WithdrawIntent& intent);
[[nodiscard]] std::string typed_data_text(const Domain& domain, const RegisterAgent& registration);

}  // namespace svc::signing
