#include "vopr/line.h"

#include <array>
#include <memory>
#include <utility>

namespace svc::vopr {
namespace {

using api::Delivery;
using Answer = Result<api::HttpResponse, api::TransportError>;

Answer broken(Delivery delivery, std::string reason) {
  return unexpected(api::TransportError{.delivery = delivery, .reason = std::move(reason)});
}

// One request in transit; alive while anybody may still use it.
struct Call {
  World::Wait wait;
  std::optional<Answer> answer;

  void finish(Answer with) {
    if (answer) return;
    answer = std::move(with);
    wait.wake();
  }
};

// The fate of a request.
struct Fate {
  bool arrives = true;
  std::int64_t there_ms = 1;               // until it arrives
  std::int64_t back_ms = 1;                // until the answer arrives
  std::optional<std::int64_t> again_ms{};  // a copy arrives this much later
  enum class Back : std::uint8_t { whole, lost, cut, falsified } back = Back::whole;
  std::optional<std::int64_t> breaks_ms{};  // the client sees a broken connection
};

// Answers of proxies and captive portals instead of the exchange's; they prove nothing.
api::HttpResponse false_answer(Prng& chance) {
  static const std::array<api::HttpResponse, 7> all{
      api::HttpResponse{.status = 502, .headers = {}, .body = "<html>bad gateway</html>"},
      api::HttpResponse{.status = 504, .headers = {}, .body = ""},
      api::HttpResponse{.status = 503, .headers = {{"Retry-After", "1"}}, .body = "upstream"},
      api::HttpResponse{.status = 500, .headers = {}, .body = R"({"code":"INTERNAL_ERROR"})"},
      api::HttpResponse{.status = 408, .headers = {}, .body = ""},
      api::HttpResponse{.status = 302, .headers = {{"Location", "http://portal.example/"}}, .body = ""},
      api::HttpResponse{.status = 200, .headers = {}, .body = "<html>welcome to the portal</html>"},
  };
  return all[chance.below(all.size())];
}

bool may_come_twice(const api::HttpRequest& request) {
  return request.method == "GET" || request.path().find("/orders") != std::string_view::npos;
}

Fate draw_fate(World& world, Prng& chance, const api::HttpRequest& request) {
  Fate fate;
  fate.there_ms = chance.between(0, 20);
  fate.back_ms = chance.between(0, 20);
  constexpr std::int64_t late_ms_max = 55 * second_ms;  // nothing stays in a network for a minute
  if (world.happens(Fault::request_late, chance)) fate.there_ms = chance.between(second_ms, late_ms_max);
  if (may_come_twice(request) && world.happens(Fault::request_twice, chance))
    fate.again_ms = chance.between(1, late_ms_max - std::min(fate.there_ms, late_ms_max - 1));
  if (world.happens(Fault::request_lost, chance)) {
    fate.arrives = false;
  } else if (world.happens(Fault::request_cut, chance)) {
    fate.arrives = false;
    fate.breaks_ms = chance.between(0, second_ms);
  } else if (world.happens(Fault::answer_lost, chance)) {
    fate.back = Fate::Back::lost;
  } else if (world.happens(Fault::answer_cut, chance)) {
    fate.back = Fate::Back::cut;
  } else if (world.happens(Fault::answer_false, chance)) {
    fate.back = Fate::Back::falsified;
  }
  return fate;
}

std::string told(const Fate& fate) {
  std::string text;
  if (!fate.arrives) text = fate.breaks_ms ? "the line breaks within it" : "it is lost";
  if (fate.arrives && fate.there_ms >= second_ms) text += ", it takes " + std::to_string(fate.there_ms) + " ms";
  if (fate.again_ms) text += ", a copy follows after " + std::to_string(*fate.again_ms) + " ms";
  if (fate.back == Fate::Back::lost) text += ", its answer will be lost";
  if (fate.back == Fate::Back::cut) text += ", the line will break within the answer";
  if (fate.back == Fate::Back::falsified) text += ", somebody else will answer";
  return text;
}

}  // namespace

Line::Line(World& world, Server& server, Process& process, const cli::Route& route)
    : world_(world),
      server_(server),
      process_(process),
      host_(route.origin.substr(route.origin.find("//") + 2)),
      timeout_ms_(route.timeout_ms) {}

Answer Line::send(const api::HttpRequest& request) {
  process_.pass_point();
  Prng& chance = process_.chance;
  if (world_.happens(Fault::connection_refused, chance)) {
    world_.sleep(chance.between(0, 20));
    return broken(Delivery::not_sent, "connection refused");
  }
  if (!server_.is_up()) {
    world_.sleep(1);
    return broken(Delivery::not_sent, "nobody listens");
  }
  const Fate fate = draw_fate(world_, chance, request);
  const std::string what = request.method + " " + std::string(request.path());
  world_.tell(process_.name, what + (request.body.empty() ? "" : " " + request.body) + told(fate));
  const auto call = std::make_shared<Call>();
  if (fate.breaks_ms) world_.in(*fate.breaks_ms, [call] { call->finish(broken(Delivery::unknown, "the line broke")); });
  if (fate.arrives) {
    api::HttpRequest arriving = request;
    arriving.headers.set("Host", host_);
    // Drawn here: whether the sender lives by then must not change what happens there.
    const auto server_chance = std::make_shared<Prng>(chance.next());
    const auto falsified = fate.back == Fate::Back::falsified ? std::optional(false_answer(chance)) : std::nullopt;
    // The connection ends before the messages in transit.
    const auto arrive = [&world = world_, &server = server_, call, fate, arriving, server_chance, falsified,
                         who = process_.name, what] {
      const bool was_up = server.is_up();
      auto answer = server.handle(arriving, *server_chance);
      world.tell("exchange", (answer ? "answers " + std::to_string(answer->status)
                                     : std::string(was_up ? "ends without an answer" : "is down")) +
                                 " to " + what + " of " + who);
      constexpr int too_many = 429;
      if (answer && answer->status == too_many && answer->headers.contains("X-RateLimit-Bucket") &&
          world.plan().is_busy)
        world.complain(what + " of " + who + " was over the budget that the processes of a machine share");
      const bool was_done = answer && answer->status < 300;
      if (fate.back != Fate::Back::lost) {
        world.in(fate.back_ms, [call, fate, falsified, answer = std::move(answer)] {
          if (fate.back == Fate::Back::falsified) return call->finish(*falsified);
          if (fate.back == Fate::Back::cut || !answer) return call->finish(broken(Delivery::unknown, "the line broke"));
          call->finish(*answer);
        });
      }
      return was_done;
    };
    world_.in(fate.there_ms, [&world = world_, &server = server_, arrive, fate, arriving, server_chance,
                              who = process_.name, what] {
      // A request is repeated only if no answer came, or the answer was lost afterwards.
      if (!arrive() || !fate.again_ms) return;
      world.in(*fate.again_ms, [&world, &server, arriving, server_chance, who, what] {
        const auto answer = server.handle(arriving, *server_chance);
        world.tell("exchange", (answer ? "answers " + std::to_string(answer->status) : std::string("does not answer")) +
                                   " to the copy of " + what + " of " + who);
      });
    });
  }
  (void)world_.wait(call->wait, timeout_ms_);
  if (!call->answer) {
    call->answer = broken(Delivery::unknown, "no answer in time");
    world_.tell(process_.name, "gave up waiting for an answer");
  }
  return *call->answer;
}

}  // namespace svc::vopr
