// Which function answers which operation. Filled once, before the first request, by the area files in
// handlers/:
//
//   table.bind<ops::GetTicker>([&views](RequestContext&, const ops::GetTicker::Request& request)
//       -> Result<Ticker, api::ApiError> { ... });
//
// A handler gets a decoded request and returns the response record, or the error to answer with. It runs
// after authentication and charging, on the thread that handles the request.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "api/error_catalog.h"
#include "api/message_codec.h"
#include "api/operation.h"
#include "base/result.h"
#include "sim/gateway/request_context.h"

namespace svc::sim {

// A response, or the error to answer with.
template <class Op>
using Answer = Result<typename Op::Response, api::ApiError>;

// Decodes the request, answers it and encodes the response into the context.
using Handler = std::function<Result<void, api::ApiError>(RequestContext&)>;

class HandlerTable {
 public:
  // Each operation is bound once.
  template <class Op>
  void bind(std::function<Answer<Op>(RequestContext&, const typename Op::Request&)> answer) {
    add(Op::op, [answer = std::move(answer)](RequestContext& context) -> Result<void, api::ApiError> {
      const auto request = SVC_TRY(api::decode_request<Op>(context.parts(), context.decode_options, &context.decoded));
      const auto response = SVC_TRY(answer(context, request));
      api::encode_response(context.response, response);
      return {};
    });
  }

  // nullptr if the operation is not offered yet.
  [[nodiscard]] const Handler* find(const api::Operation& operation) const;

 private:
  void add(const api::Operation& operation, Handler handler);

  std::map<std::string_view, Handler> by_name_;
};

}  // namespace svc::sim
