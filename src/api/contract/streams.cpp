#include "api/contract/streams.h"

#include <charconv>

#include "api/describe.h"
#include "api/json_text.h"

namespace svc::api {

template const TypeInfo& type_of<StreamToken>();
template const TypeInfo& type_of<AccountStreamRequest>();
template const TypeInfo& type_of<PublicStreamRequest>();

namespace {

bool read_sequence(JsonReader& reader, void* value) {
  std::string text;
  std::string_view digits;
  if (reader.peek() == JsonReader::Next::string) {
    if (!reader.string(text)) return false;
    digits = text;
  } else if (reader.peek() != JsonReader::Next::number || !reader.number(digits)) {
    return false;
  }
  auto& sequence = static_cast<StreamSequence*>(value)->value;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, sequence);
  return read.ec == std::errc() && read.ptr == end;
}

void write_sequence(std::string& out, const void* value) {
  out += std::to_string(static_cast<const StreamSequence*>(value)->value);
}

}  // namespace

constinit const CustomForm stream_sequence_form{
    .read = &read_sequence,
    .write = &write_sequence,
    .expected = "a whole number from 0 on",
    .schema = R"({"oneOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]})"};

template const TypeInfo& type_of<StreamSequence>();
template const TypeInfo& type_of<StreamRequest>();
template const TypeInfo& type_of<SyncRequest>();
template const TypeInfo& type_of<SyncedFrame>();
template const TypeInfo& type_of<SubscribedFrame>();
template const TypeInfo& type_of<UnsubscribedFrame>();
template const TypeInfo& type_of<EngineEnvelope>();
template const TypeInfo& type_of<EventHead>();
template const TypeInfo& type_of<OutOfSyncFrame>();
template const TypeInfo& type_of<StreamErrorFrame>();
template const TypeInfo& type_of<StreamOrder>();
template const TypeInfo& type_of<OrderUpdate>();
template const TypeInfo& type_of<OrdersPayload>();
template const TypeInfo& type_of<AlertSeverity>();
template const TypeInfo& type_of<LiquidationAlert>();
template const TypeInfo& type_of<LiquidationClosure>();
template const TypeInfo& type_of<PortfolioLiquidation>();
template const TypeInfo& type_of<LiquidationsPayload>();
template const TypeInfo& type_of<PublicSubscribeFrame>();
template const TypeInfo& type_of<PublicTradeFrame>();
template const TypeInfo& type_of<PublicBookLevel>();
template const TypeInfo& type_of<PublicBook>();
template const TypeInfo& type_of<BookUpdateFrame>();
template const TypeInfo& type_of<MarketHaltedFrame>();
template const TypeInfo& type_of<MarketResumedFrame>();
template const TypeInfo& type_of<StatsFrame>();
template const TypeInfo& type_of<GapFrame>();
template const TypeInfo& type_of<PublicSyncedFrame>();
template const TypeInfo& type_of<PublicErrorFrame>();

}  // namespace svc::api
