#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace svc {
namespace SVC_FILE {

TEST(UtcText, IsRfc3339WithMilliseconds) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'700'000'000'007), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(utc_text(951'782'400'000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(utc_text(limits::clock_ms_max), "9999-12-31T23:59:59.999Z");
}

}  // namespace SVC_FILE
}  // namespace svc
