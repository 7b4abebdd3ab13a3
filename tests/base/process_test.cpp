#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/descriptor.h"

namespace svc {
namespace SVC_FILE {

constexpr const char* calm = "Name:\tx\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n";

TEST(ProcessState, IsReadFromProc) {
  const struct {
    const char* stat;
    const char* status;
    ProcessState state;
  } rows[] = {
      {"7 (svc) S 1 7 7 0 -1 4194304 103 0", calm, ProcessState::runs},
      {"7 (a) Z (b) S 1 7 7 0 -1 4194304 103 0", calm, ProcessState::runs},  // users choose process names
      {"7 (svc) Z 1 7 7 0 -1 4194308 103 0", calm, ProcessState::gone},
      {"7 (svc) X 1 7 7 0 -1 4194308 103 0", calm, ProcessState::gone},
      {"7 (svc) R 1 7 7 0 -1 4194308 103 0", calm, ProcessState::ending},  // PF_EXITING
      {"7 (svc) R 1 7 7 0 -1 4194304 103 0", "Name:\tx\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n",
       ProcessState::ending},
      {"7 (svc) R 1 7 7 0 -1 4194304 103 0", "Name:\tx\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n",
       ProcessState::ending},
      {"7 (svc) R 1 7 7 0 -1 4194304 103 0", "Name:\tx\nSigPnd:\t0000000000004000\nShdPnd:\t0000000000000000\n",
       ProcessState::runs},  // SIGTERM may be handled
      {"", "", ProcessState::runs},
      {"7 (svc)", "", ProcessState::runs},
      {"7 (svc) R", "", ProcessState::runs},
  };
  for (const auto& row : rows) EXPECT_EQ(process_state(row.stat, row.status), row.state) << row.stat << row.status;
}

TEST(WriteWithin, DropsWhatNobodyReads) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  std::int64_t patience_ms = 1;
  EXPECT_EQ(write_within(ends[1], "a note", patience_ms), Written::whole);
  EXPECT_EQ(write_within(ends[1], std::string(1 << 20, 'x'), patience_ms), Written::failed);
  EXPECT_EQ(patience_ms, 0);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'a');
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(WriteAll, OfNothingTellsWhetherAPipeHasAReader) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(write_all(ends[1], ""), Written::whole);
  ::close(ends[0]);
  EXPECT_EQ(write_all(ends[1], ""), Written::reader_gone);
  ::close(ends[1]);
}

TEST(ProcessState, AKilledProcessThatWasNotReapedIsGone) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  EXPECT_EQ(process_state(child), ProcessState::runs);
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(::kill(child, 0), 0) << "its number is still there";
  EXPECT_EQ(process_state(child), ProcessState::gone);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(process_state(child), ProcessState::gone);
  EXPECT_EQ(process_state(::getpid()), ProcessState::runs);
  EXPECT_EQ(process_state(0), ProcessState::gone);
}

TEST(ProcessState, AnotherProcessWithTheIdOfAGoneOneIsNotThatOne) {
  const std::uint64_t start = start_of_process(::getpid());
  EXPECT_GT(start, 0u);
  EXPECT_EQ(process_state(::getpid(), start), ProcessState::runs);
  EXPECT_EQ(process_state(::getpid(), start - 1), ProcessState::gone);
  EXPECT_EQ(process_state(::getpid(), 0), ProcessState::runs) << "not known";
}

}  // namespace SVC_FILE
}  // namespace svc
