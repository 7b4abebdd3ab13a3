// The control surface, /_svc/...: what a test or a developer does to a sandbox outside the API. Served by every
// sandbox, described at /_svc/openapi.json, called by `svc local`.
#pragma once

#include <map>

#include "api/contract/declaration.h"
#include "api/operation_list.h"
#include "trade/words.h"

namespace svc::api {

inline constexpr std::string_view method_texts[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
constexpr EnumNames enum_names(Method) {
  return {"Method", method_texts};
}

}  // namespace svc::api

namespace svc::api::control {

inline constexpr std::string_view base_path = "/_svc";

// A decimal as people type it: "60000" and 60000 are equal. The handler knows its unit.
struct TypedDecimal {
  std::string text{};

  TypedDecimal() = default;
  explicit TypedDecimal(std::string value) : text(std::move(value)) {}
};

extern const CustomForm typed_decimal_form;
constexpr const CustomForm* custom_form(const TypedDecimal*) {
  return &typed_decimal_form;
}

// Any JSON value, as its text.
struct AnyJson {
  std::string text = "null";

  AnyJson() = default;
  explicit AnyJson(std::string value) : text(std::move(value)) {}
};

extern const CustomForm any_json_form;
constexpr const CustomForm* custom_form(const AnyJson*) {
  return &any_json_form;
}

// A time on the sandbox's clock, and the number of commands before it.
struct Moment {
  TimestampMs now_ms = 0;
  std::uint64_t sequence = 0;

  static constexpr FieldInfo fields[] = {field<&Moment::now_ms>(), field<&Moment::sequence>()};
};

// The sandbox, its clock.

enum class ClockMode : std::uint8_t { real, scaled, manual };
SVC_WIRE_TEXTS(ClockMode, "real", "scaled", "manual");

struct ClockPace {
  ClockMode mode = ClockMode::real;
  NumberText rate{};
  TimestampMs now_ms = 0;

  static constexpr auto fields =
      joined(field<&ClockPace::mode>("How time passes"),
             field<&ClockPace::rate>("Times as fast as real time; 0 if it stands"), field<&ClockPace::now_ms>());
};

struct DevAccount {
  std::uint64_t index = 0;
  Address address{};
  std::string private_key{};
  DecimalText balance{};

  static constexpr auto fields = joined(field<&DevAccount::index>("From 0"), field<&DevAccount::address>(),
                                        field<&DevAccount::private_key>("Public knowledge, for play money"),
                                        field<&DevAccount::balance>("USDX paid in at the start"));
};

struct FlowGlance {
  bool bots = false;
  std::optional<std::string> drill{};
  std::uint64_t bot_accounts = 0;
  bool has_quotes = false;

  static constexpr auto fields =
      joined(field<&FlowGlance::bots>("Whether bots trade"), field<&FlowGlance::drill>("Under way"),
             field<&FlowGlance::bot_accounts>("How many they have"),
             field<&FlowGlance::has_quotes>("The first market has bids and asks"));
};

struct ClusterNode {
  std::string name{}, address{};
  bool leads = false;

  static constexpr auto fields =
      joined(field<&ClusterNode::name>(), field<&ClusterNode::address>("Host and port, as other nodes reach it"),
             field<&ClusterNode::leads>("It writes to the log"));
};

struct Cluster {
  std::string node{};
  std::optional<std::string> leader{};
  bool takes_writes = false;
  bool is_current = false;
  std::uint64_t position = 0;
  std::uint64_t lag = 0;
  std::optional<std::string> problem{};
  std::vector<ClusterNode> nodes{};

  static constexpr auto fields =
      joined(field<&Cluster::node>("This one"), field<&Cluster::leader>("Writes to the log; absent while nobody does"),
             field<&Cluster::takes_writes>(), field<&Cluster::is_current>("It shows everything that the leader wrote"),
             field<&Cluster::position>("Of the latest entry of the log that it applied"),
             field<&Cluster::lag>("How many more the leader has"), field<&Cluster::problem>("Why it takes no writes"),
             field<&Cluster::nodes>("By name"));
};

struct Status {
  std::string name{}, url{}, ws{}, control{};
  std::int64_t pid = 0;
  std::string network{}, deployment{}, domain_name{};
  std::uint64_t seed = 0;
  ClockPace clock{};
  std::int64_t uptime_ms = 0;
  std::uint64_t sequence = 0;
  std::uint64_t commits = 0;
  std::string state_hash{};
  std::vector<DevAccount> accounts{};
  std::uint64_t requests = 0;
  std::int64_t rss_bytes = 0;
  bool strict_query = false;
  FlowGlance flow{};
  std::optional<Cluster> cluster{};

  static constexpr auto fields = joined(
      field<&Status::name>("Of the sandbox"), field<&Status::url>("Where the API is"),
      field<&Status::ws>("Where the streams are"), field<&Status::control>("Where this is"), field<&Status::pid>(),
      field<&Status::network>(), field<&Status::deployment>("Of signed actions"),
      field<&Status::domain_name>("Of signing domains"), field<&Status::seed>("Of all chance"),
      field<&Status::clock>("The sandbox's own"), field<&Status::uptime_ms>("Of the machine's clock"),
      field<&Status::sequence>(), field<&Status::commits>("To the log, by this process; writers that wait share one"),
      field<&Status::state_hash>("Equal after equal histories"), field<&Status::accounts>("For development"),
      field<&Status::requests>(), field<&Status::rss_bytes>("Memory of the process; 0 where the system does not tell"),
      field<&Status::strict_query>("Unknown query parameters are refused"), field<&Status::flow>("Bots and drills"),
      field<&Status::cluster>("Of several nodes on an etcd").omit_when_empty());
};

struct Time : Moment {
  TimestampMs next_funding_ms = 0;
  std::optional<TimestampMs> next_expiry_ms{};
  ClockMode mode = ClockMode::real;
  NumberText rate{};

  static constexpr auto fields =
      joined(Moment::fields, field<&Time::next_funding_ms>("When funding is paid next"),
             field<&Time::next_expiry_ms>("When a session, agent, order or cool-down ends next"),
             field<&Time::mode>("How time passes"), field<&Time::rate>("Times as fast as real time; 0 if it stands"));
};

struct TimeChange {
  std::optional<ClockMode> mode{};
  std::optional<TypedDecimal> rate{};
  std::optional<std::int64_t> advance_ms{}, set_ms{};
  std::optional<bool> wait_streams{};

  static constexpr auto fields = joined(
      field<&TimeChange::mode>("How time passes from now on").omit_when_empty(),
      field<&TimeChange::rate>("Of mode scaled").omit_when_empty(),
      field<&TimeChange::advance_ms>("How far to jump").omit_when_empty(),
      field<&TimeChange::set_ms>("Or where to; never back").omit_when_empty(),
      field<&TimeChange::wait_streams>("Answer when the streams have sent everything up to then").omit_when_empty());
};

struct ResetTerms {
  std::optional<bool> keep_prices{};

  static constexpr FieldInfo fields[] = {
      field<&ResetTerms::keep_prices>("Markets keep their prices").omit_when_empty()};
};

struct Restored : Moment {
  std::optional<std::string> name{};

  static constexpr auto fields = joined(field<&Restored::name>("Of the snapshot").omit_when_empty(), Moment::fields);
};

// Prices.

struct Prices {
  Members<TypedDecimal> by_market{};

  static constexpr FieldInfo fields[] = {
      field<&Prices::by_market>("Index and mark price of each market named").whole_body()};
};

struct PricesSet : Moment {
  Members<DecimalText> prices{};

  static constexpr auto fields =
      joined(Moment::fields,
             field<&PricesSet::prices>("Mark prices from now on, by market; that of a halted market stands still"));
};

struct WalkTerms {
  std::string market_id{};
  std::optional<TypedDecimal> to{}, shock{};
  std::int64_t over_ms = 0;

  static constexpr auto fields =
      joined(field<&WalkTerms::market_id>().path(), field<&WalkTerms::to>("Where to").omit_when_empty(),
             field<&WalkTerms::shock>("Or how far, per cent of where it is").omit_when_empty(),
             field<&WalkTerms::over_ms>("How long it takes"));
};

struct PriceWalk {
  std::string market_id{};
  DecimalText from{}, to{};
  TimestampMs begin_ms = 0, end_ms = 0;

  static constexpr auto fields =
      joined(field<&PriceWalk::market_id>(), field<&PriceWalk::from>("Price at the beginning"),
             field<&PriceWalk::to>("At the end"), field<&PriceWalk::begin_ms>(), field<&PriceWalk::end_ms>());
};

// Play money, the chain, operator actions.

struct Grant {
  Address account{};
  TypedDecimal amount{};

  static constexpr FieldInfo fields[] = {field<&Grant::account>("It is made if there is none"),
                                         field<&Grant::amount>("USDX")};
};

struct Granted : Moment {
  Address account{};
  DecimalText amount{}, balance{};

  static constexpr auto fields = joined(Moment::fields, field<&Granted::account>(), field<&Granted::amount>("USDX"),
                                        field<&Granted::balance>("USDX it has now"));
};

struct InsuranceGrant {
  TypedDecimal amount{};

  static constexpr FieldInfo fields[] = {field<&InsuranceGrant::amount>("USDX")};
};

struct InsuranceGranted : Moment {
  DecimalText amount{}, insurance_fund{};

  static constexpr auto fields = joined(Moment::fields, field<&InsuranceGranted::amount>("USDX"),
                                        field<&InsuranceGranted::insurance_fund>("USDX in it now"));
};

enum class DepositAsset : std::uint8_t { usdc, usdx };
SVC_WIRE_TEXTS(DepositAsset, "USDC", "USDX");

struct ChainPayment {
  std::optional<Address> account{}, address{};
  TypedDecimal amount{};
  std::optional<DepositAsset> asset{};

  static constexpr auto fields =
      joined(field<&ChainPayment::account>("Who is paid").omit_when_empty(),
             field<&ChainPayment::address>("Or the deposit address").omit_when_empty(),
             field<&ChainPayment::amount>("Of the asset"),
             field<&ChainPayment::asset>("What is sent; USDX if nothing is said").omit_when_empty());
};

struct ChainPaid : Moment {
  std::string id{};
  Address account{};
  DecimalText amount{};
  std::string asset{}, chain{}, status{};
  TimestampMs final_ms = 0;

  static constexpr auto fields =
      joined(Moment::fields, field<&ChainPaid::id>("Of the bridge deposit"), field<&ChainPaid::account>(),
             field<&ChainPaid::amount>("Of the asset"), field<&ChainPaid::asset>(), field<&ChainPaid::chain>(),
             field<&ChainPaid::status>("As the API spells it"), field<&ChainPaid::final_ms>("When it is credited"));
};

struct MovementRef {
  std::string id{};

  static constexpr FieldInfo fields[] = {
      field<&MovementRef::id>("Of a withdrawal, bridge withdrawal or bridge deposit").path()};
};

struct MovementDecided : Moment {
  std::string id{};
  Address account{};
  DecimalText amount{};
  std::string was{}, is{};

  static constexpr auto fields =
      joined(Moment::fields, field<&MovementDecided::id>("Of the movement"), field<&MovementDecided::account>(),
             field<&MovementDecided::amount>("USDX"), field<&MovementDecided::was>("old", "Status before"),
             field<&MovementDecided::is>("new", "Status now"));
};

struct Switches {
  Members<bool> services{};

  static constexpr FieldInfo fields[] = {field<&Switches::services>("Service, and whether it is on").whole_body()};
};

struct AccountRef {
  Address address{};

  static constexpr FieldInfo fields[] = {field<&AccountRef::address>().path()};
};

// A request of the API that the sandbox signs for a development account.
struct AskedRequest {
  Address address{};
  Method method = Method::get;
  std::string path{};
  std::optional<std::string> query{};
  std::optional<AnyJson> body{};

  static constexpr FieldInfo fields[] = {
      field<&AskedRequest::address>("A development account").path(), field<&AskedRequest::method>(),
      field<&AskedRequest::path>("Of the API, with or without its base: /orders, /v1/orders"),
      field<&AskedRequest::query>("As sent, without the question mark").omit_when_empty(),
      field<&AskedRequest::body>("Sent byte for byte").omit_when_empty()};
};

struct AnsweredRequest {
  std::int64_t status = 0;
  std::map<std::string, std::string> headers{};
  AnyJson body{};

  static constexpr auto fields =
      joined(field<&AnsweredRequest::status>("0: a fault lost the request or its answer"),
             field<&AnsweredRequest::headers>("Those about budgets, retries and further pages"),
             field<&AnsweredRequest::body>("null: none; a text that is not JSON is a string"));
};

struct Frozen : Moment {
  Address account{};
  bool frozen = false;

  static constexpr auto fields =
      joined(Moment::fields, field<&Frozen::account>(), field<&Frozen::frozen>("Nothing may leave it"));
};

// Markets, and events staged on them.

struct HaltTerms {
  std::string market_id{}, reason{};

  static constexpr FieldInfo fields[] = {field<&HaltTerms::market_id>().path(),
                                         field<&HaltTerms::reason>("What its status says")};
};

struct ResumeTerms {
  std::string market_id{};
  std::optional<TypedDecimal> inject{};

  static constexpr FieldInfo fields[] = {
      field<&ResumeTerms::market_id>().path(),
      field<&ResumeTerms::inject>("USDX into the insurance fund first").omit_when_empty()};
};

struct SettleTerms {
  std::string market_id{};
  TypedDecimal price{};

  static constexpr FieldInfo fields[] = {field<&SettleTerms::market_id>().path(),
                                         field<&SettleTerms::price>("At which every position is closed")};
};

struct MarketMoved : Moment {
  std::string market_id{}, status{};

  static constexpr auto fields =
      joined(Moment::fields, field<&MarketMoved::market_id>(), field<&MarketMoved::status>("What it is now"));
};

struct TradeTerms {
  std::string market_id{};
  TypedDecimal quantity{};
  std::optional<TypedDecimal> price{};
  std::optional<trade::Side> side{};

  static constexpr auto fields =
      joined(field<&TradeTerms::market_id>().path(), field<&TradeTerms::quantity>(),
             field<&TradeTerms::price>("The mark price if nothing is said").omit_when_empty(),
             field<&TradeTerms::side>("Of the taker; Buy if nothing is said").omit_when_empty());
};

struct FillTerms {
  std::string order_id{};
  std::optional<TypedDecimal> quantity{};

  static constexpr FieldInfo fields[] = {
      field<&FillTerms::order_id>("Of an order that rests").path(),
      field<&FillTerms::quantity>("So much of it; all that is left if nothing is said").omit_when_empty()};
};

struct DistressTerms {
  Address address{};
  std::optional<std::string> market_id{};

  static constexpr FieldInfo fields[] = {
      field<&DistressTerms::address>().path(),
      field<&DistressTerms::market_id>("Of the position, if it has several").omit_when_empty()};
};

struct Affected {
  Address account{};
  DecimalText was{}, is{};

  static constexpr auto fields =
      joined(field<&Affected::account>(), field<&Affected::was>("Size of its position before"),
             field<&Affected::is>("And now"));
};

struct Staged : Moment {
  std::string market_id{}, event{};
  std::uint64_t trades = 0, deleveragings = 0;
  std::vector<Affected> affected{};

  static constexpr auto fields = joined(
      Moment::fields, field<&Staged::market_id>(), field<&Staged::event>("trade, adl or none"),
      field<&Staged::trades>(), field<&Staged::deleveragings>(), field<&Staged::affected>("Whose positions changed"));
};

// Faults. A rule says which requests ("route", "operation", "method", "account", "when"), how often ("rate",
// "count"), and the effect: one of a "code" and "status", "drop_before", "drop_after_send", "skew_ms" and "ws"; and
// "latency_ms", alone or with a code or a drop.

enum class StreamFault : std::uint8_t { gap, drop, dup, reorder };
inline constexpr std::string_view stream_fault_texts[] = {"gap", "drop", "dup", "reorder"};
constexpr EnumNames enum_names(StreamFault) {
  return {"StreamFault", stream_fault_texts};
}

struct FaultText {
  std::optional<std::string> route{}, operation{};
  std::optional<Method> method{};
  std::optional<Address> account{};
  std::optional<std::string> when{}, code{};
  std::optional<std::int64_t> status{};
  std::optional<bool> drop_before{}, drop_after_send{};
  std::optional<std::int64_t> skew_ms{};
  std::optional<StreamFault> ws{};
  std::optional<std::int64_t> latency_ms{};

  static constexpr auto fields =
      joined(field<&FaultText::route>("Glob over the path; '*' stands for any text").omit_when_empty(),
             field<&FaultText::operation>("Name of the operation").omit_when_empty(),
             field<&FaultText::method>().omit_when_empty(),
             field<&FaultText::account>("Whose credential it is").omit_when_empty(),
             field<&FaultText::when>("Conditions such as body.side=Buy && body.price>=60000").omit_when_empty(),
             field<&FaultText::code>("Error to answer with").omit_when_empty(),
             field<&FaultText::status>("Status to answer with").omit_when_empty(),
             field<&FaultText::drop_before>("Lost on its way here").omit_when_empty(),
             field<&FaultText::drop_after_send>("Handled, and the answer lost").omit_when_empty(),
             field<&FaultText::skew_ms>("The server's clock, as credentials see it").omit_when_empty(),
             field<&FaultText::ws>("What happens to events of a stream").omit_when_empty(),
             field<&FaultText::latency_ms>("How long the answer is held back, real time").omit_when_empty());
};

struct FaultTerms : FaultText {
  std::optional<TypedDecimal> rate{};
  std::optional<std::int64_t> count{};

  static constexpr auto fields =
      joined(FaultText::fields, field<&FaultTerms::rate>("Share of the requests that it hits").omit_when_empty(),
             field<&FaultTerms::count>("Hits so many times, then rests").omit_when_empty());
};

struct Fault : FaultText {
  std::uint64_t id = 0, hits = 0;
  std::optional<NumberText> rate{};
  std::optional<std::int64_t> count{};

  static constexpr auto fields =
      joined(field<&Fault::id>("Number of the rule"), FaultText::fields,
             field<&Fault::rate>("Share of the requests that it hits").omit_when_empty(),
             field<&Fault::count>("Hits so many times, then rests").omit_when_empty(), field<&Fault::hits>());
};

struct Faults {
  std::vector<Fault> faults{};

  static constexpr FieldInfo fields[] = {field<&Faults::faults>("In the order of their numbers")};
};

struct FaultRef {
  std::uint64_t id = 0;

  static constexpr FieldInfo fields[] = {
      field<&FaultRef::id>("Number of the rule").path().refused_as(ErrorCode::not_found)};
};

struct Removed {
  std::uint64_t removed = 0;

  static constexpr FieldInfo fields[] = {field<&Removed::removed>()};
};

// Bots and drills.

struct FlowChange {
  std::optional<bool> bots{};
  std::optional<std::string> drill{};

  static constexpr FieldInfo fields[] = {field<&FlowChange::bots>("Whether bots trade").omit_when_empty(),
                                         field<&FlowChange::drill>("One to begin").omit_when_empty()};
};

struct DrillInfo {
  std::string name{}, summary{};

  static constexpr FieldInfo fields[] = {field<&DrillInfo::name>(), field<&DrillInfo::summary>("What happens")};
};

struct TapeState {
  std::uint64_t played = 0, lines = 0;

  static constexpr FieldInfo fields[] = {field<&TapeState::played>("Lines so far"),
                                         field<&TapeState::lines>("Of so many")};
};

struct TapeRecord {
  std::uint64_t lines = 0;
  bool failed = false;

  static constexpr FieldInfo fields[] = {field<&TapeRecord::lines>(),
                                         field<&TapeRecord::failed>("The file did not take a line")};
};

struct FlowAccount {
  std::string name{}, kind{};
  Address account{};
  DecimalText equity{};

  static constexpr auto fields = joined(field<&FlowAccount::name>("Whose it is"), field<&FlowAccount::kind>("bot"),
                                        field<&FlowAccount::account>(), field<&FlowAccount::equity>("USDX"));
};

struct FlowState {
  bool bots = false;
  std::optional<std::string> drill{};
  std::optional<TimestampMs> drill_ends_ms{};
  std::vector<DrillInfo> drills{};
  std::optional<TapeState> tape{};
  std::optional<TapeRecord> record{};
  std::vector<FlowAccount> accounts{};

  static constexpr auto fields =
      joined(field<&FlowState::bots>("Whether bots trade"), field<&FlowState::drill>("Under way"),
             field<&FlowState::drill_ends_ms>(), field<&FlowState::drills>("All there are"),
             field<&FlowState::tape>("That is played").omit_when_empty(),
             field<&FlowState::record>("The tape that is recorded").omit_when_empty(),
             field<&FlowState::accounts>("Of the bots"));
};

// The request log, and the health of the sandbox.

struct CoverageSince {
  std::optional<std::string> from{};

  static constexpr FieldInfo fields[] = {field<&CoverageSince::from>("Since this tag was set").query()};
};

// `met`: it was answered with success at least once.
struct RouteMet {
  std::string operation{};
  Method method = Method::get;
  std::string path{};
  bool twin = false;
  std::uint32_t success = 0;
  std::uint64_t requests = 0;
  bool met = false;
  std::map<std::string, std::uint64_t> statuses{};
  std::vector<std::string> codes_met{}, codes_missing{};

  static constexpr auto fields =
      joined(field<&RouteMet::operation>(), field<&RouteMet::method>(), field<&RouteMet::path>(),
             field<&RouteMet::twin>("Under /api/v1"), field<&RouteMet::success>("Status of its success"),
             field<&RouteMet::requests>(), field<&RouteMet::met>("It was answered with its success"),
             field<&RouteMet::statuses>("Status, and how often"),
             field<&RouteMet::codes_met>("Error codes it was answered with"),
             field<&RouteMet::codes_missing>("Error codes that it declares, never met"));
};

struct CoverageCount {
  std::uint64_t operations = 0, successes = 0, errors = 0, codes = 0;

  static constexpr auto fields =
      joined(field<&CoverageCount::operations>("Routes"),
             field<&CoverageCount::successes>("Routes answered with their success"),
             field<&CoverageCount::errors>("Errors that the operations declare"),
             field<&CoverageCount::codes>("Codes of the whole catalogue, wherever they were met"));
};

struct CoverageReport {
  std::vector<RouteMet> operations{};
  std::vector<std::string> codes_never_met{};
  CoverageCount met{}, of{};

  static constexpr auto fields =
      joined(field<&CoverageReport::operations>("One per route, twins apart"),
             field<&CoverageReport::codes_never_met>("Of the whole catalogue"), field<&CoverageReport::met>("So many"),
             field<&CoverageReport::of>("Of so many"));
};

struct CoverageTag {
  std::string tag{};

  static constexpr FieldInfo fields[] = {field<&CoverageTag::tag>("Name of this moment")};
};

struct RequestsWanted {
  std::uint64_t after = 0;
  std::optional<std::uint64_t> limit{};

  static constexpr FieldInfo fields[] = {field<&RequestsWanted::after>("Only those numbered above").query().defaulted(),
                                         field<&RequestsWanted::limit>("So many at most, the latest").query()};
};

struct RequestEntry {
  std::uint64_t number = 0;
  TimestampMs received_at_ms = 0;
  std::optional<std::string> network{};
  std::string method{}, path{};
  std::optional<std::string> operation{}, credential{}, account{};
  std::int64_t status = 0;
  std::optional<std::string> code{}, rule{}, note{}, bucket{};
  std::uint64_t cost = 0;

  static constexpr auto fields = joined(
      field<&RequestEntry::number>("From 1"), field<&RequestEntry::received_at_ms>(),
      field<&RequestEntry::network>("Of its host"), field<&RequestEntry::method>("As received"),
      field<&RequestEntry::path>("As received, without query"), field<&RequestEntry::operation>(),
      field<&RequestEntry::credential>("How it was signed"), field<&RequestEntry::account>("Whom that proved"),
      field<&RequestEntry::status>("Of the answer; 0: there was none"), field<&RequestEntry::code>("Of the error"),
      field<&RequestEntry::rule>("That refused it"), field<&RequestEntry::note>("Particulars"),
      field<&RequestEntry::bucket>("Charged or exhausted"), field<&RequestEntry::cost>("Tokens asked for"));
};

struct Requests {
  std::vector<RequestEntry> requests{};

  static constexpr FieldInfo fields[] = {field<&Requests::requests>("Oldest first")};
};

struct Invariants {
  std::uint64_t sequence = 0;
  std::vector<std::string> violations{};

  static constexpr FieldInfo fields[] = {field<&Invariants::sequence>(),
                                         field<&Invariants::violations>("A sentence each")};
};

// Mark and index prices so far.

struct MarketRef {
  std::string market_id{};

  static constexpr FieldInfo fields[] = {field<&MarketRef::market_id>("Of a market").path()};
};

struct MarkRow {
  TimestampMs at_ms = 0;
  DecimalText mark{}, index{};

  static constexpr FieldInfo fields[] = {field<&MarkRow::at_ms>("Where its second or minute begins"),
                                         field<&MarkRow::mark>("The last one of it"),
                                         field<&MarkRow::index>("The last one of it")};
};

struct Marks {
  std::vector<MarkRow> marks{};

  static constexpr FieldInfo fields[] = {
      field<&Marks::marks>("Ascending: a row for each minute in which they changed, and at the end for each second")};
};

// The timeline: everything that happened, in order.

enum class TimelineKind : std::uint8_t { request, fill, liquidation, funding, deleveraging, fault, snapshot, lever };
SVC_WIRE_TEXTS(TimelineKind, "request", "fill", "liquidation", "funding", "deleveraging", "fault", "snapshot", "lever");

struct TimelineWanted {
  std::optional<std::uint64_t> after{}, before{}, limit{};
  std::optional<TimelineKind> kind{};
  std::optional<Address> account{};
  std::optional<std::string> operation{}, status{};

  static constexpr auto fields =
      joined(field<&TimelineWanted::after>("Only those numbered above, beginning with the next").query(),
             field<&TimelineWanted::before>("Only those numbered below").query(),
             field<&TimelineWanted::limit>("So many at most; without `after` the latest").query(),
             field<&TimelineWanted::kind>("Only those of this kind").query(),
             field<&TimelineWanted::account>("Only those of this account").query(),
             field<&TimelineWanted::operation>("Only those of this operation").query(),
             field<&TimelineWanted::status>("Only answers with this status: 409, or 4xx").query());
};

struct TimelineEntry {
  std::uint64_t number = 0;
  TimestampMs at_ms = 0;
  TimelineKind kind = TimelineKind::request;
  std::optional<Address> account{};
  std::optional<std::string> operation{};
  std::optional<std::int64_t> status{};
  std::optional<std::string> code{}, rule{}, market_id{};
  std::string text{};

  static constexpr auto fields =
      joined(field<&TimelineEntry::number>("From 1"), field<&TimelineEntry::at_ms>("Of the sandbox's clock"),
             field<&TimelineEntry::kind>(), field<&TimelineEntry::account>("Whose it is"),
             field<&TimelineEntry::operation>("Of the request"),
             field<&TimelineEntry::status>("Of the answer; 0: there was none"),
             field<&TimelineEntry::code>("Of the error"), field<&TimelineEntry::rule>("That refused it"),
             field<&TimelineEntry::market_id>(), field<&TimelineEntry::text>("One line for people"));
};

struct Timeline {
  std::vector<TimelineEntry> entries{};
  std::uint64_t last = 0;

  static constexpr FieldInfo fields[] = {
      field<&Timeline::entries>("Newest last"),
      field<&Timeline::last>("Number of the newest entry of all; 0 if there is none")};
};

struct TimelineRef {
  std::uint64_t number = 0;

  static constexpr FieldInfo fields[] = {field<&TimelineRef::number>("Of an entry").path()};
};

struct HeaderLine {
  std::string name{}, value{};

  static constexpr FieldInfo fields[] = {field<&HeaderLine::name>("As sent"),
                                         field<&HeaderLine::value>("A credential shows only its length")};
};

struct KeptMessage {
  std::vector<HeaderLine> headers{};
  std::string body{};
  std::uint64_t cut_bytes = 0;

  static constexpr FieldInfo fields[] = {
      field<&KeptMessage::headers>("In the order sent, without those of the connection"),
      field<&KeptMessage::body>("Secrets are masked"),
      field<&KeptMessage::cut_bytes>("Missing at the end of the body; 0: it is whole")};
};

struct SentRequest : KeptMessage {
  std::string method{}, target{};

  static constexpr auto fields = joined(field<&SentRequest::method>("As received"),
                                        field<&SentRequest::target>("Path and query as received"), KeptMessage::fields);
};

struct GivenAnswer : KeptMessage {
  std::int64_t status = 0;

  static constexpr auto fields = joined(field<&GivenAnswer::status>("0: there was none"), KeptMessage::fields);
};

struct TimelineDetail : TimelineEntry {
  std::optional<SentRequest> request{};
  std::optional<std::string> expected{};
  std::optional<GivenAnswer> answer{};

  static constexpr auto fields =
      joined(TimelineEntry::fields, field<&TimelineDetail::request>("As sent"),
             field<&TimelineDetail::expected>("The text that the server expected to be signed"),
             field<&TimelineDetail::answer>());
};

struct StreamStart {
  std::optional<std::uint64_t> after{};

  static constexpr FieldInfo fields[] = {
      field<&StreamStart::after>("Begin after this entry; without it with the next one").query()};
};

// What the peer of the stream sends: it watches what a read answers.
struct StreamWatch {
  std::uint64_t watch = 0;
  std::optional<std::string> path{};
  std::optional<Address> account{};

  static constexpr FieldInfo fields[] = {field<&StreamWatch::watch>("A number of the peer's choice"),
                                         field<&StreamWatch::path>("Path and query; without one, nothing any more"),
                                         field<&StreamWatch::account>("As whom")};
};

// A session recorded as a scenario.

struct Recording : Moment {
  bool recording = false;
  std::uint64_t steps = 0;
  std::optional<std::string> spoiled{};

  static constexpr auto fields =
      joined(Moment::fields, field<&Recording::recording>("Whether a session is written down"),
             field<&Recording::steps>(), field<&Recording::spoiled>("Why it cannot be told as a scenario any more"));
};

struct StoryTerms {
  std::optional<std::string> title{};

  static constexpr FieldInfo fields[] = {field<&StoryTerms::title>("One line without #").omit_when_empty()};
};

struct NamedAccount {
  std::string name{};
  Address account{};

  static constexpr FieldInfo fields[] = {field<&NamedAccount::name>("In the scenario"),
                                         field<&NamedAccount::account>()};
};

struct Story {
  std::uint64_t steps = 0;
  std::vector<NamedAccount> accounts{};
  std::vector<std::string> differences{};
  std::string scenario{};

  static constexpr auto fields = joined(field<&Story::steps>(), field<&Story::accounts>("Who is who"),
                                        field<&Story::differences>("Where a fresh engine differs, or why it cannot"),
                                        field<&Story::scenario>("Text of the file"));
};

// Snapshots: saving and restoring the whole state.

struct SnapshotTerms {
  std::string name{};

  static constexpr FieldInfo fields[] = {field<&SnapshotTerms::name>("One that is there already is replaced")};
};

struct SnapshotRef {
  std::string name{};

  static constexpr FieldInfo fields[] = {field<&SnapshotRef::name>("Of a snapshot").path()};
};

// A snapshot with a damaged file says only that.
struct Snapshot {
  std::string name{};
  std::optional<std::string> problem{};
  std::optional<std::uint64_t> sequence{};
  std::optional<TimestampMs> now_ms{};
  std::optional<std::uint64_t> bytes{};

  static constexpr auto fields = joined(
      field<&Snapshot::name>(), field<&Snapshot::problem>("Why it cannot be read").omit_when_empty(),
      field<&Snapshot::sequence>("Commands until then").omit_when_empty(),
      field<&Snapshot::now_ms>("When it was taken").omit_when_empty(), field<&Snapshot::bytes>().omit_when_empty());
};

struct Snapshots {
  std::vector<Snapshot> snapshots{};

  static constexpr FieldInfo fields[] = {field<&Snapshots::snapshots>("By name")};
};

struct SnapshotDeleted {
  std::string name{};
  bool deleted = true;

  static constexpr FieldInfo fields[] = {field<&SnapshotDeleted::name>(), field<&SnapshotDeleted::deleted>()};
};

struct StateDocument {
  std::string format{};
  std::int64_t version = 0;
  TimestampMs now_ms = 0;
  std::uint64_t sequence = 0;
  std::string checksum{}, state{};

  static constexpr auto fields = joined(
      field<&StateDocument::format>("svc-sandbox-state"), field<&StateDocument::version>(),
      field<&StateDocument::now_ms>("When it was written"), field<&StateDocument::sequence>("Commands until then"),
      field<&StateDocument::checksum>("Of the state"), field<&StateDocument::state>("Base64"));
};

struct AnyDocument {
  JsonObjectText document{};

  static constexpr FieldInfo fields[] = {field<&AnyDocument::document>("As it stands").whole_body()};
};

// The operations of control_operations.def. Callers without access are refused with `forbidden` for any request.

inline constexpr ops::Area area{"control", PathBase::control};
inline constexpr std::span<const OperationError> of_none{};

#define X(Type, RequestRecord, ResponseRecord, method, name, path, summary, ...)                               \
  struct Type : ops::Records<RequestRecord, ResponseRecord> {                                                  \
    static constexpr Operation op = area(Method::method, name, path, summary, Weight{.base = 0}, __VA_ARGS__); \
  };
#define REFUSALS(refusals, ...) inline constexpr auto& refusals = ops::refuses<__VA_ARGS__>;
#include "api/contract/control_operations.def"
#undef REFUSALS
#undef X

template <class Nothing, class... Ops>
using ListOf = OpList<Ops...>;
using AllOps = ListOf<void
#define X(Type, ...) , Type
#define REFUSALS(...)
#include "api/contract/control_operations.def"
#undef REFUSALS
#undef X
                      >;

// In the order of the table.
[[nodiscard]] std::span<const OperationEntry> all_operations();

}  // namespace svc::api::control
