#include "deploy/link_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "base/random.h"
#include "deploy/link_toy_robot.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;

LinkClientOptions Patient() {
  LinkClientOptions options;
  options.client = "test";
  options.connect_timeout_s = options.reply_timeout_s = 20.0;
  return options;
}

LinkClient Connect(const ToyServer& server) {
  auto client = LinkClient::Connect(server.address(), Patient());
  RW_CHECK(client.ok());
  return std::move(*client);
}

// A robot that follows a script: it sees each line of the client and gives the lines to answer, or
// nothing to die. Stands for a robot that breaks the protocol.
class ScriptedRobot {
 public:
  using Script = std::function<std::optional<std::string>(const std::string& line)>;
  explicit ScriptedRobot(Script script) {
    auto listener = LinkSocket::Listen("tcp:127.0.0.1:0");
    RW_CHECK(listener.ok());
    listener_ = std::move(*listener);
    thread_ = std::thread([this, script = std::move(script)] {
      auto client = listener_.Accept(Soon());
      RW_CHECK(client.ok() && client->valid());
      for (;;) {
        const LineRead read = client->ReadLine(Soon());
        if (read.outcome != ReadOutcome::kLine) return;
        const auto answer = script(std::string(read.line));
        if (!answer || !client->WriteAll(*answer, Soon()).ok()) return;
      }
    });
  }
  ~ScriptedRobot() { thread_.join(); }
  const std::string& address() const { return listener_.address(); }

 private:
  LinkSocket listener_;
  std::thread thread_;
};

std::string Welcome() { return EncodeLink(ToyRobot({}).Describe()); }
std::string State(std::int64_t trial, std::int64_t seq) {
  return EncodeLink(
      RobotState{trial, seq, 0.01 * static_cast<double>(seq), -1, TrialStatus::kOk, {0.5, 0}});
}
bool Is(const std::string& line, const std::string& type) {
  return line.find("\"type\":\"" + type + "\"") != line.npos;
}

// The toy run in this thread: the link must not change a bit of what the backend gives.
void ExpectTrialsMatchTheBackendBitForBit(const ToyOptions& toy) {
  ToyServer server(toy);
  LinkClient client = Connect(server);
  for (std::int64_t trial = 0; trial < 3; ++trial) {
    ToyRobot direct(toy);
    const auto start = direct.Reset(trial, 11);
    const auto first = client.Reset(trial, 11);
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_EQ(first->values, *start);
    Stream stream({.seed = 5, .episode = static_cast<std::uint64_t>(trial)});
    for (int step = 1; step <= toy.horizon; ++step) {
      const std::vector<double> command = {stream.Normal() * 0.5};
      const auto reply = client.Exchange(command);
      ASSERT_TRUE(reply.ok()) << reply.error().message;
      const auto expected = direct.Step(std::vector<double>{std::clamp(command[0], -2.0, 2.0)});
      for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(reply->state.values[i]),
                  std::bit_cast<std::uint64_t>(expected->values[i]));
      }
      ASSERT_EQ(reply->state.seq, step);
      ASSERT_EQ(reply->result.has_value(), step == toy.horizon);
      if (reply->result) {
        EXPECT_EQ(*reply->result,
                  (TrialResult{trial, true, expected->values[0], LinkTrialEnd::kHorizon, step}));
      }
    }
    EXPECT_FALSE(client.running());
  }
}

TEST(LinkClient, TrialsOverAUnixSocketMatchTheBackendBitForBit) {
  ToyOptions toy;
  toy.horizon = 300;
  ExpectTrialsMatchTheBackendBitForBit(toy);
}

TEST(LinkClient, TrialsOverTcpMatchTheBackendBitForBit) {
  ToyOptions toy;
  toy.tcp = true;
  toy.horizon = 300;
  ExpectTrialsMatchTheBackendBitForBit(toy);
}

TEST(LinkClient, KnowsTheRobot) {
  ToyServer server;
  LinkClient client = Connect(server);
  EXPECT_EQ(client.robot(), ToyRobot({}).Describe());
}

TEST(LinkClient, StopGivesTheResultAndTheNextTrialRuns) {
  ToyServer server;
  LinkClient client = Connect(server);
  EXPECT_EQ(client.Stop().error().kind, ErrorKind::kInvalidInput);
  ASSERT_TRUE(client.Reset(1, 0).ok());
  ASSERT_TRUE(client.Exchange(std::vector{1.0}).ok());
  const auto result = client.Stop();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->end, LinkTrialEnd::kStopped);
  EXPECT_EQ(result->steps, 1);
  EXPECT_TRUE(client.Reset(2, 0).ok());
  EXPECT_TRUE(client.Reset(2, 0).ok());  // in the middle of a trial, with the same number
  EXPECT_TRUE(client.Exchange(std::vector{1.0}).ok());
}

TEST(LinkClient, CommandsThatCannotBeSentAreNamedAndNotSent) {
  ToyServer server;
  LinkClient client = Connect(server);
  EXPECT_THAT(client.Exchange(std::vector{0.0}).error().message, HasSubstr("reset it first"));
  ASSERT_TRUE(client.Reset(4, 0).ok());
  const auto nan = client.Exchange(std::vector{std::nan("")});
  ASSERT_FALSE(nan.ok());
  EXPECT_EQ(nan.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(nan.error().message,
              AllOf(HasSubstr("'motor'"), HasSubstr("nan"), HasSubstr("trial 4")));
  EXPECT_THAT(client.Exchange(std::vector{0.0, 0.0}).error().message, HasSubstr("2 values"));
  EXPECT_TRUE(client.Exchange(std::vector{0.0}).ok());
  EXPECT_THAT(server.backend().commands(), testing::ElementsAre(0.0));
}

// The client sleeps through the watchdog, then sends: its command crosses the end of the trial.
TEST(LinkClient, AWatchdogEndIsTheAnswerToTheCommandThatCameTooLate) {
  ToyOptions toy;
  toy.watchdog_s = 0.02;
  ToyServer server(toy);
  LinkClient client = Connect(server);
  int ended = 0;
  for (std::int64_t trial : {5, 5, 6}) {
    ASSERT_TRUE(client.Reset(trial, 0).ok());
    ++ended;
    while (server.backend().stops() < ended) std::this_thread::yield();
    const auto reply = client.Exchange(std::vector{1.0});
    ASSERT_TRUE(reply.ok()) << reply.error().message;
    ASSERT_TRUE(reply->result.has_value());
    EXPECT_EQ(reply->result->end, LinkTrialEnd::kWatchdog);
    EXPECT_EQ(reply->state.status, TrialStatus::kStopped);
    EXPECT_THAT(client.TakeEvents(),
                testing::Contains(testing::Field(&EventMessage::kind, "watchdog")));
  }
}

TEST(LinkClient, ARealClockGivesTheNewestStateAndCountsTheMissed) {
  ToyOptions toy;
  toy.clock = LinkClock::kReal;
  toy.control_period_s = 0.001;
  ToyServer server(toy);
  LinkClient client = Connect(server);
  ASSERT_TRUE(client.Reset(1, 0).ok());
  std::int64_t seq = 0, replies = 0;
  while (client.missed_states() < 5) {
    const auto reply = client.Exchange(std::vector{1.0});
    ASSERT_TRUE(reply.ok()) << reply.error().message;
    ++replies;
    EXPECT_EQ(reply->state.seq, replies + client.missed_states());
    EXPECT_GT(reply->state.seq, seq);
    seq = reply->state.seq;
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // a slow policy
  }
  const auto result = client.Stop();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_GE(result->steps, seq);
}

TEST(LinkClient, ARobotThatDiesInATrialIsReportedWithWhatWasLastHeard) {
  ScriptedRobot robot([](const std::string& line) -> std::optional<std::string> {
    if (Is(line, "hello")) return Welcome();
    if (Is(line, "reset")) return State(12, 0);
    if (line.find("\"seq\":0,") != line.npos) return State(12, 1);
    return std::nullopt;
  });
  auto client = LinkClient::Connect(robot.address(), Patient());
  ASSERT_TRUE(client.ok()) << client.error().message;
  ASSERT_TRUE(client->Reset(12, 0).ok());
  ASSERT_TRUE(client->Exchange(std::vector{0.0}).ok());
  const auto dead = client->Exchange(std::vector{0.0});
  ASSERT_FALSE(dead.ok());
  EXPECT_EQ(dead.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(dead.error().message, AllOf(HasSubstr("robot 'toy'"), HasSubstr(robot.address()),
                                          HasSubstr("died"), HasSubstr("trial 12, seq 1")));
  // And so it stays.
  EXPECT_EQ(client->Exchange(std::vector{0.0}).error().message, dead.error().message);
  EXPECT_EQ(client->Reset(13, 0).error().message, dead.error().message);
  EXPECT_EQ(client->Stop().error().message, dead.error().message);
}

TEST(LinkClient, ASilentRobotIsReportedAtTheTimeOut) {
  ScriptedRobot robot([](const std::string& line) -> std::optional<std::string> {
    if (Is(line, "hello")) return Welcome();
    if (Is(line, "reset")) return State(1, 0);
    return "";
  });
  auto client = LinkClient::Connect(robot.address(), Patient());
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client->Reset(1, 0).ok());
  client->set_reply_timeout_s(0.05);
  const auto silent = client->Exchange(std::vector{0.0});
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.error().message,
              AllOf(HasSubstr("silent for 0.05 s"), HasSubstr("trial 1, seq 0")));
}

std::string ConnectError(const std::string& answer) {
  ScriptedRobot robot([&](const std::string&) -> std::optional<std::string> { return answer; });
  const auto client = LinkClient::Connect(robot.address(), Patient());
  if (client.ok()) return "connected";
  EXPECT_EQ(client.error().kind, ErrorKind::kEnvironment);
  return client.error().message;
}

TEST(LinkClient, ARobotThatGreetsWronglyIsRefused) {
  EXPECT_THAT(ConnectError("{\"type\":\"welcome\",\"version\":3}\n"),
              AllOf(HasSubstr("version 3"), HasSubstr("version 1")));
  EXPECT_THAT(ConnectError(EncodeLink(ErrorMessage{"version", "hello", "I speak version 4"})),
              HasSubstr("I speak version 4"));
  EXPECT_THAT(ConnectError(State(1, 0)), HasSubstr("'state' instead of welcome"));
  EXPECT_THAT(ConnectError("SSH-2.0-OpenSSH_9.2\n"), HasSubstr("not JSON"));
  EXPECT_THAT(ConnectError(std::string(kLinkMaxLine + 10, 'x') + "\n"), HasSubstr("longer than"));
}

std::string ExchangeError(const std::string& answer) {
  ScriptedRobot robot([&](const std::string& line) -> std::optional<std::string> {
    if (Is(line, "hello")) return Welcome();
    return Is(line, "reset") ? State(1, 0) : answer;
  });
  auto client = LinkClient::Connect(robot.address(), Patient());
  RW_CHECK(client.ok());
  RW_CHECK(client->Reset(1, 0).ok());
  const auto reply = client->Exchange(std::vector{0.0});
  return reply.ok() ? "accepted" : reply.error().message;
}

TEST(LinkClient, AnswersOutOfOrderAreRefused) {
  EXPECT_EQ(ExchangeError(State(1, 1)), "accepted");
  EXPECT_THAT(ExchangeError(State(1, 2)),
              AllOf(HasSubstr("seq 2"), HasSubstr("expected trial 1, seq 1")));
  EXPECT_THAT(ExchangeError(State(2, 1)), HasSubstr("state of trial 2"));
  EXPECT_THAT(ExchangeError(Welcome()), HasSubstr("'welcome' during a trial"));
  EXPECT_THAT(ExchangeError(EncodeLink(RobotState{1, 1, 0.01, -1, TrialStatus::kOk, {1.0}})),
              AllOf(HasSubstr("1 values"), HasSubstr("2 channels")));
  EXPECT_THAT(ExchangeError(EncodeLink(TrialResult{9, true, 1.0, LinkTrialEnd::kHorizon, 1})),
              HasSubstr("result of trial 9"));
  EXPECT_THAT(ExchangeError(EncodeLink(ErrorMessage{"stale", "command", "too old"})),
              HasSubstr("too old"));
}

TEST(LinkClient, ARefusedResetLeavesTheConnectionUsable) {
  ToyServer server;
  LinkClient client = Connect(server);
  const auto refused = client.Reset(666, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
  EXPECT_TRUE(client.Reset(1, 0).ok());
}

TEST(LinkClient, ManyClientsInSequenceAreServed) {
  ToyServer server;
  for (int i = 0; i < 20; ++i) {
    LinkClient client = Connect(server);
    ASSERT_TRUE(client.Reset(i, 0).ok());
    ASSERT_TRUE(client.Exchange(std::vector{0.5}).ok());
  }
  EXPECT_EQ(server.backend().resets(), 20);
}

}  // namespace
}  // namespace realward
