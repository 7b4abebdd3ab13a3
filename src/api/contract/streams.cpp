#include "api/contract/streams.h"

#include "api/describe.h"
#include "base/integer_text.h"
#include "base/json_text.h"

namespace svc::api {

namespace {

bool read_sequence(JsonReader& reader, void* value) {
  std::string digits;
  if (!reader.text_or_number(digits)) return false;
  const auto sequence = parse_integer<std::uint64_t>(digits);
  if (sequence) static_cast<StreamSequence*>(value)->value = *sequence;
  return sequence.has_value();
}

void write_sequence(std::string& out, const void* value) {
  out += std::to_string(static_cast<const StreamSequence*>(value)->value);
}

}  // namespace

constinit const CustomForm StreamSequence::form{
    .read = &read_sequence,
    .write = &write_sequence,
    .expected = "a whole number from 0 on",
    .schema = R"({"oneOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]})"};

template const TypeInfo& type_of<StreamRequest>();
template const TypeInfo& type_of<SyncRequest>();
template const TypeInfo& type_of<SyncedFrame>();
template const TypeInfo& type_of<SubscribedFrame>();
template const TypeInfo& type_of<UnsubscribedFrame>();
template const TypeInfo& type_of<EventHead>();
template const TypeInfo& type_of<OutOfSyncFrame>();
template const TypeInfo& type_of<StreamErrorFrame>();
template const TypeInfo& type_of<OrdersPayload>();
template const TypeInfo& type_of<LiquidationsPayload>();
template const TypeInfo& type_of<PublicSubscribeFrame>();
template const TypeInfo& type_of<PublicTradeFrame>();
template const TypeInfo& type_of<BookUpdateFrame>();
template const TypeInfo& type_of<MarketHaltedFrame>();
template const TypeInfo& type_of<MarketResumedFrame>();
template const TypeInfo& type_of<StatsFrame>();
template const TypeInfo& type_of<GapFrame>();
template const TypeInfo& type_of<PublicSyncedFrame>();
template const TypeInfo& type_of<PublicErrorFrame>();

}  // namespace svc::api
