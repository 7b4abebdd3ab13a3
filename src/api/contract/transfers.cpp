#include "api/contract/transfers.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<EnrollTransfersRequest>();
template const TypeInfo& type_of<TransferEnrollment>();
template const TypeInfo& type_of<TransferRequest>();
template const TypeInfo& type_of<TransferReceipt>();
template const TypeInfo& type_of<TransfersRequest>();
template const TypeInfo& type_of<TransferRef>();
template const TypeInfo& type_of<Page<TransferReceipt>>();

}  // namespace svc::api
