#include "api/records/orders.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<OrderRequest>();
template const TypeInfo& type_of<OrderBatchRequest>();
template const TypeInfo& type_of<OrderAtMarket>();
template const TypeInfo& type_of<OrderRef>();
template const TypeInfo& type_of<AmendOrderRequest>();
template const TypeInfo& type_of<CancelAllOrdersRequest>();
template const TypeInfo& type_of<Order>();
template const TypeInfo& type_of<Fill>();
template const TypeInfo& type_of<OrderResponse>();
template const TypeInfo& type_of<OrderResult>();
template const TypeInfo& type_of<PreviewResponse>();
template const TypeInfo& type_of<OrdersRequest>();
template const TypeInfo& type_of<OrderHistoryRequest>();
template const TypeInfo& type_of<OrderHistoryEntry>();
template const TypeInfo& type_of<FillsRequest>();
template const TypeInfo& type_of<List<Order>>();
template const TypeInfo& type_of<Page<Fill>>();
template const TypeInfo& type_of<List<OrderResult>>();
template const TypeInfo& type_of<Page<OrderHistoryEntry>>();

}  // namespace svc::api
