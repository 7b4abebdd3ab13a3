// Histories list a deleveraging by its number; the event is kept once, until no history lists it any more.
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/archive.h"
#include "sim/views/views.h"

namespace svc::sim {
namespace SVC_FILE {

Address account_of(std::uint16_t number) {
  Address address;
  address.bytes[0] = static_cast<std::uint8_t>(number >> 8);
  address.bytes[1] = static_cast<std::uint8_t>(number);
  return address;
}

// Account 0 loses its position to as many others.
engine::Deleveraged event_of(std::uint64_t number, std::uint16_t counterparties) {
  engine::Deleveraged event{.number = number, .target = account_of(0), .bankruptcy_lots = Lots{counterparties}};
  for (std::uint16_t i = 1; i <= counterparties; ++i)
    event.closures.push_back({.account = account_of(i), .quantity = Lots{1}, .realized = Usdx{i}});
  return event;
}

std::size_t bytes_of(const VenueView& view) {
  return to_archive(view).size();
}

TEST(Deleveraging, EachCounterpartyShowsTheWholeEventWhichIsKeptOnce) {
  const auto size_with = [](std::uint16_t counterparties) {
    VenueView view{engine::standard_markets()};
    view.fold({}, event_of(1, counterparties));
    return bytes_of(view);
  };
  EXPECT_LT(size_with(2'000), 3 * size_with(1'000));

  Views views{engine::standard_markets()};
  const std::vector<engine::Event> events{event_of(1, 1'000)};
  views.follow({.sequence = {1}, .at_ms = 5}, events);
  const auto restored = views.view_of(views.image());
  ASSERT_TRUE(restored) << restored.error();
  for (const std::uint16_t account : std::initializer_list<std::uint16_t>{0, 1, 1'000}) {
    const auto& listed = restored->account(account_of(account)).adl_events().rows();
    ASSERT_EQ(listed.size(), 1u) << account;
    const AdlEvent& event = restored->adl_event(listed.front());
    EXPECT_EQ(event.at_ms, 5);
    EXPECT_EQ(event.event.closures.size(), 1'000u);
  }
  EXPECT_EQ(restored->account(account_of(7)).activity().rows().back().amount, Usdx{7});
}

TEST(Deleveraging, IsForgottenOnceNoHistoryListsIt) {
  VenueView view{engine::standard_markets()};
  std::uint64_t number = 0;
  while (number < limits::adl_events_max) view.fold({}, event_of(++number, 1));
  EXPECT_EQ(view.adl_event(1).event.number, 1u);
  view.fold({}, event_of(++number, 1));
  EXPECT_THROW(static_cast<void>(view.adl_event(1)), std::out_of_range);
  EXPECT_EQ(view.adl_event(2).event.number, 2u);
}

TEST(Deleveraging, AnImageThatListsAnEventItDoesNotBringIsRefused) {
  Views views{engine::standard_markets()};
  const std::vector<engine::Event> events{event_of(1, 2)};
  views.follow({.sequence = {1}, .at_ms = 5}, events);
  std::string image = views.image();
  ASSERT_EQ(image.substr(0, 2), "\x01\x01") << "one event, number 1";
  image[1] = '\x02';
  EXPECT_FALSE(views.view_of(image));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
