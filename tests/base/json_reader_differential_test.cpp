// Our reader against nlohmann-json: both accept or both refuse, on randomly broken texts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/random.h"

namespace svc {
namespace SVC_FILE {

bool ours_accepts(std::string_view text) {
  JsonReader reader(text, 64);
  std::string_view value;
  return reader.any(value) && reader.at_end();
}

// The only intended difference: nlohmann-json skips a byte order mark.
bool theirs_accepts(const std::string& text) {
  return !text.starts_with("\xef\xbb\xbf") && nlohmann::json::accept(text);
}

const std::vector<std::string> seeds = {
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","price":"50000","n":[1,-2.5,3e2,0.0],"t":true,"f":false,"z":null})",
    R"([{"a":{"b":[[],{}]}},"\u00e9\ud83d\ude00\\\"\/\b\f\n\r\t",[0],-0,1E-7])",
    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xee\x80\x80\"",
    " [ 1 , 2 , { \"k\" : [ ] } ] \r\n\t",
};

TEST(JsonReader, AgreesWithAnotherReaderOnBrokenTexts) {
  Prng random(20260921);
  const std::string interesting = "{}[]\",:\\ue0123456789+-.tfn \x01\x7f\x80\xbf\xc2\xe0\xed\xf0\xff";
  int accepted = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = seeds[random.below(seeds.size())];
    for (std::uint64_t edits = random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(text.size() + 1);
      const char c = interesting[random.below(interesting.size())];
      switch (random.below(4)) {
        case 0: text.insert(at, 1, c); break;
        case 1: text.erase(at, 1 + random.below(3)); break;
        case 2:
          if (at < text.size()) text[at] = c;
          break;
        default: text.resize(at); break;
      }
    }
    const bool ours = ours_accepts(text);
    accepted += ours ? 1 : 0;
    ASSERT_EQ(ours, theirs_accepts(text)) << text;
  }
  EXPECT_GT(accepted, 10'000);
  EXPECT_LT(accepted, 50'000);
}

TEST(JsonReader, ReadsTheStringsAnotherWriterWrote) {
  Prng random(7);
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (std::uint64_t left = random.below(12); left > 0; --left) {
      static const std::vector<std::string> pieces = {"a", "\"", "\\", "\n", "\x01",
                                                      "é", "€",  "😀",  "/",  std::string(1, '\0')};
      text += pieces[random.below(pieces.size())];
    }
    for (const bool ascii : {false, true}) {
      const std::string json = nlohmann::json(text).dump(-1, ' ', ascii);
      JsonReader reader(json, 1);
      std::string back;
      ASSERT_TRUE(reader.string(back) && reader.at_end()) << json;
      ASSERT_EQ(back, text) << json;
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc
