#include "deploy/link_socket.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace realward {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// Generous: only a test that fails waits this long.
LinkTime Soon() { return LinkDeadline(20.0); }

// A folder with a short path: socket paths are limited to 107 bytes.
class LinkSocketTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rw_link_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string UnixAddress() const { return "unix:" + folder_ + "/robot"; }
  // The address under test, on its kind of socket.
  std::string Address() const {
    return std::string(GetParam()) == "unix" ? UnixAddress() : std::string("tcp:127.0.0.1:0");
  }
  // A connected pair.
  void Join() {
    auto listener = LinkSocket::Listen(Address());
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    listener_ = std::move(*listener);
    auto near = LinkSocket::Connect(listener_.address(), Soon());
    ASSERT_TRUE(near.ok()) << near.error().message;
    near_ = std::move(*near);
    auto far = listener_.Accept(Soon());
    ASSERT_TRUE(far.ok()) << far.error().message;
    far_ = std::move(*far);
    ASSERT_TRUE(far_.valid());
  }

  std::string folder_;
  LinkSocket listener_, near_, far_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, LinkSocketTest, testing::Values("unix", "tcp"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(LinkSocketTest, LinesArriveWholeHoweverTheyWereCut) {
  Join();
  for (const char* part : {"o", "ne\ntw", "o\n\nthree", "\nrest"}) {
    ASSERT_TRUE(near_.WriteAll(part, Soon()).ok());
    std::this_thread::yield();
  }
  for (const char* line : {"one", "two", "", "three"}) {
    const LineRead read = far_.ReadLine(Soon());
    ASSERT_EQ(read.outcome, ReadOutcome::kLine);
    EXPECT_EQ(read.line, line);
  }
  EXPECT_EQ(far_.ReadLine(LinkTime::min()).outcome, ReadOutcome::kTimeout);
  near_.Close();
  // The last line has no newline: its sender died while writing it.
  EXPECT_EQ(far_.ReadLine(Soon()).outcome, ReadOutcome::kClosed);
  EXPECT_EQ(far_.ReadLine(Soon()).outcome, ReadOutcome::kClosed);
}

// Far more than the kernel buffers: the writer has to wait for the reader, again and again.
TEST_P(LinkSocketTest, ManyLongLinesPassAReaderThatIsSlowerThanTheWriter) {
  Join();
  constexpr int kLines = 40;
  const auto line = [](int i) { return std::string(200000 + i, static_cast<char>('a' + i % 26)); };
  Status written;
  std::thread writer([&] {
    for (int i = 0; i < kLines && written.ok(); ++i)
      written = near_.WriteAll(line(i) + "\n", Soon());
  });
  for (int i = 0; i < kLines; ++i) {
    const LineRead read = far_.ReadLine(Soon());
    EXPECT_EQ(read.outcome, ReadOutcome::kLine);
    EXPECT_TRUE(read.line == line(i)) << i;
  }
  writer.join();
  EXPECT_TRUE(written.ok());
}

TEST_P(LinkSocketTest, ALineMayBeAsLongAsTheLimitAndNoLonger) {
  Join();
  std::thread writer([&] {
    EXPECT_TRUE(near_.WriteAll(std::string(kLinkMaxLine - 1, 'x') + "\n", Soon()).ok());
    (void)near_.WriteAll(std::string(kLinkMaxLine, 'y') + "\n", LinkDeadline(5.0)).ok();
  });
  const LineRead longest = far_.ReadLine(Soon());
  EXPECT_EQ(longest.outcome, ReadOutcome::kLine);
  EXPECT_EQ(longest.line.size(), kLinkMaxLine - 1);
  EXPECT_EQ(far_.ReadLine(Soon()).outcome, ReadOutcome::kTooLong);
  far_.Close();
  writer.join();
}

TEST_P(LinkSocketTest, WritingToADeadPeerIsAnErrorAndNoSignal) {
  Join();
  std::signal(SIGPIPE, SIG_DFL);
  far_.Close();
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = near_.WriteAll("hello\n", Soon());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kEnvironment);
}

TEST_P(LinkSocketTest, WritingToAPeerThatDoesNotReadEndsAtTheDeadline) {
  Join();
  const Status status = near_.WriteAll(std::string(std::size_t{64} << 20, 'x'), LinkDeadline(0.05));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("does not read"));
}

TEST_P(LinkSocketTest, TheLastLineReachesAPeerWhoseOwnBytesWereNeverRead) {
  Join();
  ASSERT_TRUE(near_.WriteAll("a question nobody reads\n", Soon()).ok());
  ASSERT_TRUE(far_.WriteAll("goodbye\n", Soon()).ok());
  far_.Finish();
  EXPECT_EQ(near_.ReadLine(Soon()).line, "goodbye");
  EXPECT_EQ(near_.ReadLine(Soon()).outcome, ReadOutcome::kClosed);
}

TEST_P(LinkSocketTest, AMovedSocketKeepsItsUnreadBytes) {
  Join();
  ASSERT_TRUE(near_.WriteAll("one\ntwo\n", Soon()).ok());
  EXPECT_EQ(far_.ReadLine(Soon()).line, "one");
  LinkSocket moved = std::move(far_);
  EXPECT_FALSE(far_.valid());
  EXPECT_EQ(moved.ReadLine(Soon()).line, "two");
}

TEST_F(LinkSocketTest, AcceptWithoutAClientGivesAnInvalidSocket) {
  auto listener = LinkSocket::Listen(UnixAddress());
  ASSERT_TRUE(listener.ok());
  const auto nobody = listener->Accept(LinkTime::min());
  ASSERT_TRUE(nobody.ok());
  EXPECT_FALSE(nobody->valid());
}

TEST_F(LinkSocketTest, ConnectWaitsForARobotThatIsStarting) {
  Result<LinkSocket> client = EnvironmentError("not run");
  std::thread early([&] { client = LinkSocket::Connect(UnixAddress(), Soon()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto listener = LinkSocket::Listen(UnixAddress());
  early.join();
  ASSERT_TRUE(listener.ok());
  EXPECT_TRUE(client.ok());
}

TEST_F(LinkSocketTest, ConnectingToNobodySaysWhere) {
  const auto client = LinkSocket::Connect(UnixAddress(), LinkDeadline(0.02));
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(client.error().message, HasSubstr(folder_));
}

// What a robot that was killed leaves: a socket file on which nobody listens.
TEST_F(LinkSocketTest, TheFileOfADeadRobotIsReplacedAndOursRemoved) {
  const std::string path = folder_ + "/robot";
  const int dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strcpy(name.sun_path, path.c_str());
  ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ::close(dead);
  ASSERT_TRUE(fs::exists(path));
  {
    auto listener = LinkSocket::Listen(UnixAddress());
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    EXPECT_TRUE(LinkSocket::Connect(UnixAddress(), Soon()).ok());
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(LinkSocketTest, TheFileOfALivingRobotIsLeftAlone) {
  auto first = LinkSocket::Listen(UnixAddress());
  ASSERT_TRUE(first.ok());
  const auto second = LinkSocket::Listen(UnixAddress());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another robot answers"));
  EXPECT_TRUE(LinkSocket::Connect(UnixAddress(), Soon()).ok());
}

TEST_F(LinkSocketTest, AFileThatIsNoSocketIsLeftAlone) {
  std::ofstream(folder_ + "/robot") << "precious";
  const auto listener = LinkSocket::Listen(UnixAddress());
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.error().kind, ErrorKind::kInvalidInput);
  EXPECT_TRUE(fs::exists(folder_ + "/robot"));
}

TEST_F(LinkSocketTest, TcpStaysOnLoopbackUnlessAllowed) {
  const auto open = LinkSocket::Listen("tcp:0.0.0.0:0");
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.error().message, HasSubstr("no authentication"));
  EXPECT_TRUE(LinkSocket::Listen("tcp:0.0.0.0:0", true).ok());
  const auto local = LinkSocket::Listen("tcp:localhost:0");
  ASSERT_TRUE(local.ok()) << local.error().message;
  EXPECT_THAT(local->address(), testing::Not(testing::EndsWith(":0")));
}

TEST(LinkAddress, ParsesAndRefusesByName) {
  EXPECT_EQ(ParseLinkAddress("unix:/run/robot.sock")->path, "/run/robot.sock");
  EXPECT_EQ(ParseLinkAddress("tcp:10.0.0.7:5555")->host, "10.0.0.7");
  const auto v6 = ParseLinkAddress("tcp:[::1]:80");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 80);
  EXPECT_EQ(v6->Text(), "tcp:[::1]:80");
  for (const char* wrong : {"", "robot", "unix:", "tcp:host", "tcp::5", "tcp:host:", "tcp:host:x",
                            "tcp:host:70000", "tcp:host:-1", "tcp:host:5x", "udp:host:5"}) {
    const auto address = ParseLinkAddress(wrong);
    ASSERT_FALSE(address.ok()) << wrong;
    EXPECT_EQ(address.error().kind, ErrorKind::kInvalidInput);
    EXPECT_THAT(address.error().message, HasSubstr(std::string("'") + wrong + "'"));
  }
  const auto long_path = LinkSocket::Listen("unix:/" + std::string(200, 'x'));
  ASSERT_FALSE(long_path.ok());
  EXPECT_THAT(long_path.error().message, HasSubstr("107"));
}

}  // namespace
}  // namespace realward
