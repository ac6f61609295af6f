#include "deploy/link_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>

#include "deploy/link_toy_robot.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Talks raw lines, as a client in any language does.
class RawClient {
 public:
  explicit RawClient(const std::string& address) {
    auto socket = LinkSocket::Connect(address, Soon());
    EXPECT_TRUE(socket.ok());
    if (socket.ok()) socket_ = std::move(*socket);
  }
  void Send(const std::string& line) { EXPECT_TRUE(socket_.WriteAll(line + "\n", Soon()).ok()); }
  // The next line; "closed" at the end.
  std::string Read() {
    const LineRead read = socket_.ReadLine(Soon());
    if (read.outcome == ReadOutcome::kLine) return std::string(read.line);
    return read.outcome == ReadOutcome::kClosed ? "closed" : "no line";
  }
  std::string Ask(const std::string& line) {
    Send(line);
    return Read();
  }
  void Hello() {
    EXPECT_THAT(Ask(R"({"type":"hello","protocol":"realward-link","version":1,"client":"raw"})"),
                StartsWith(R"({"type":"welcome","version":1,"robot":"toy")"));
  }
  void Close() { socket_.Close(); }
  LinkSocket& socket() { return socket_; }

 private:
  LinkSocket socket_;
};

std::string Reset(int trial) {
  return R"({"type":"reset","trial":)" + std::to_string(trial) + R"(,"seed":5})";
}
std::string Command(int trial, int seq, const std::string& value) {
  return R"({"type":"command","trial":)" + std::to_string(trial) + R"(,"seq":)" +
         std::to_string(seq) + R"(,"t_s":0,"values":[)" + value + "]}";
}

// The toy integrates its command: position += 0.01 · command, from 0.5.
TEST(LinkServer, ALockstepTrialSpeaksTheDocumentedLines) {
  ToyServer server;
  RawClient client(server.address());
  client.Hello();
  EXPECT_EQ(client.Ask(Reset(7)),
            R"({"type":"state","trial":7,"seq":0,"t_s":0,"status":"ok","values":[0.5,5]})");
  EXPECT_EQ(client.Ask(Command(7, 0, "1")),
            R"({"type":"state","trial":7,"seq":1,"t_s":0.01,"status":"ok","values":[0.51,1]})");
  // Any spelling of the same command.
  EXPECT_THAT(client.Ask(R"({"values": [0.0], "seq": 1, "t_s": 4, "trial": 7, "type": "command"})"),
              StartsWith(R"({"type":"state","trial":7,"seq":2,)"));
  client.Send(R"({"type":"stop"})");
  EXPECT_EQ(
      client.Read(),
      R"({"type":"state","trial":7,"seq":3,"t_s":0.03,"status":"stopped","values":[0.51,0]})");
  EXPECT_EQ(
      client.Read(),
      R"({"type":"result","trial":7,"success":null,"return":0.51,"end":"stopped","steps":2})");
  client.Send(R"({"type":"bye"})");
  EXPECT_EQ(client.Read(), "closed");
}

TEST(LinkServer, ATrialEndsByItselfWithAStateAndAResult) {
  ToyOptions toy;
  toy.horizon = 2;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  for (int trial : {1, 1, 2}) {
    client.Ask(Reset(trial));
    client.Ask(Command(trial, 0, "0"));
    EXPECT_THAT(client.Ask(Command(trial, 1, "0")), HasSubstr(R"("status":"ended")"));
    EXPECT_THAT(client.Read(),
                AllOf(HasSubstr(R"("success":true)"), HasSubstr(R"("end":"horizon","steps":2)")));
    EXPECT_THAT(client.Ask(Command(trial, 2, "0")), HasSubstr(R"("code":"stopped")"));
  }
  EXPECT_EQ(server.backend().stops(), 3);
}

TEST(LinkServer, TheWatchdogAppliesTheSafeCommandAndRefusesUntilReset) {
  ToyOptions toy;
  toy.watchdog_s = 0.05;
  toy.safe = 0.25;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(3));
  EXPECT_THAT(client.Read(), AllOf(HasSubstr(R"("kind":"watchdog")"), HasSubstr(R"("trial":3)")));
  EXPECT_THAT(client.Read(), AllOf(HasSubstr(R"("status":"stopped")"), HasSubstr(",0.25]")));
  EXPECT_THAT(client.Read(), HasSubstr(R"("end":"watchdog","steps":0)"));
  EXPECT_THAT(client.Ask(Command(3, 0, "1")),
              AllOf(HasSubstr(R"("code":"stopped","about":"command")"), HasSubstr("reset first")));
  EXPECT_EQ(server.backend().commands(), std::vector<double>{0.25});
  EXPECT_EQ(server.backend().stops(), 1);
  EXPECT_THAT(client.Ask(Reset(4)), HasSubstr(R"("seq":0)"));
}

TEST(LinkServer, UnusableCommandsAreRefusedAndTheTrialGoesOn) {
  ToyServer server;
  RawClient client(server.address());
  client.Hello();
  EXPECT_THAT(client.Ask(Command(1, 0, "0")), HasSubstr(R"("code":"order")"));
  client.Ask(Reset(1));
  EXPECT_THAT(
      client.Ask(Command(1, 0, "0,0")),
      AllOf(HasSubstr(R"("code":"command")"), HasSubstr("2 values"), HasSubstr("1 actuators")));
  EXPECT_THAT(client.Ask(Command(1, 0, "null")),
              AllOf(HasSubstr(R"("code":"command")"), HasSubstr("'motor' is not finite")));
  EXPECT_THAT(client.Ask(Command(1, 1, "0")),
              AllOf(HasSubstr(R"("code":"stale")"), HasSubstr("trial 1, seq 0")));
  EXPECT_THAT(client.Ask(Command(2, 0, "0")), HasSubstr(R"("code":"stale")"));
  EXPECT_THAT(
      client.Ask(
          R"({"type":"result","trial":1,"success":null,"return":null,"end":"stopped","steps":0})"),
      AllOf(HasSubstr(R"("code":"order")"), HasSubstr("robot's message")));
  EXPECT_THAT(client.Ask(R"({"type":"hello","protocol":"realward-link","version":1,"client":"x"})"),
              HasSubstr(R"("code":"order")"));
  EXPECT_TRUE(server.backend().commands().empty());
  EXPECT_THAT(client.Ask(Command(1, 0, "0.5")), HasSubstr(R"("seq":1)"));
  EXPECT_EQ(server.backend().commands(), std::vector<double>{0.5});
}

TEST(LinkServer, CommandsOutsideTheLimitsAreClippedAndReportedOncePerTrial) {
  ToyServer server;  // limits -2..2
  RawClient client(server.address());
  client.Hello();
  for (int trial : {1, 2}) {
    client.Ask(Reset(trial));
    EXPECT_THAT(client.Ask(Command(trial, 0, "7.5")),
                AllOf(HasSubstr(R"("kind":"clipped")"), HasSubstr("7.5"), HasSubstr("'motor'"),
                      HasSubstr("[-2, 2]")));
    EXPECT_THAT(client.Read(), HasSubstr(R"("seq":1)"));
    EXPECT_THAT(client.Ask(Command(trial, 1, "-1e300")), HasSubstr(R"("seq":2)"));
    EXPECT_THAT(client.Ask(R"({"type":"stop"})"), HasSubstr(R"("status":"stopped")"));
    EXPECT_THAT(client.Read(), HasSubstr(R"("type":"result")"));
  }
  EXPECT_THAT(server.backend().commands(), testing::ElementsAre(2, -2, 0, 2, -2, 0));
}

TEST(LinkServer, AResetInATrialStopsItFirst) {
  ToyServer server;
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  EXPECT_THAT(client.Ask(Reset(2)),
              AllOf(HasSubstr(R"("trial":1)"), HasSubstr(R"("status":"stopped")")));
  EXPECT_THAT(client.Read(), HasSubstr(R"("type":"result","trial":1)"));
  EXPECT_THAT(client.Read(),
              AllOf(HasSubstr(R"("trial":2,"seq":0)"), HasSubstr(R"("status":"ok")")));
}

TEST(LinkServer, AnotherVersionOrProtocolIsToldBothAndClosed) {
  ToyServer server;
  const auto answer = [&](const std::string& line) {
    RawClient client(server.address());
    const std::string text = client.Ask(line);
    EXPECT_EQ(client.Read(), "closed");
    return text;
  };
  EXPECT_THAT(
      answer(R"({"type":"hello","protocol":"realward-link","version":2,"new":true})"),
      AllOf(HasSubstr(R"("code":"version")"), HasSubstr("version 2"), HasSubstr("version 1")));
  EXPECT_THAT(answer(R"({"type":"hello","protocol":"other","version":1,"client":"x"})"),
              AllOf(HasSubstr(R"("code":"protocol")"), HasSubstr("'other'")));
  EXPECT_THAT(answer(Reset(1)), AllOf(HasSubstr(R"("code":"protocol")"), HasSubstr("hello")));
  EXPECT_THAT(answer("GET / HTTP/1.1"), HasSubstr(R"("code":"malformed")"));
  EXPECT_EQ(server.backend().resets(), 0);
}

TEST(LinkServer, LinesThatCannotBeReadStopTheTrialSafelyAndClose) {
  ToyServer server;
  for (const std::string& line :
       {std::string("{\"type\":"), Command(1, 0, "NaN"), std::string(kLinkMaxLine, 'x')}) {
    RawClient client(server.address());
    client.Hello();
    client.Ask(Reset(1));
    client.Send(line);
    EXPECT_THAT(client.Read(), HasSubstr(R"("status":"stopped")"));
    EXPECT_THAT(client.Read(), HasSubstr(R"("end":"stopped")"));
    const char* code =
        line.size() == kLinkMaxLine ? R"("code":"oversize")" : R"("code":"malformed")";
    EXPECT_THAT(client.Read(), HasSubstr(code));
    EXPECT_EQ(client.Read(), "closed");
  }
  EXPECT_EQ(server.backend().stops(), 3);
}

TEST(LinkServer, AClientThatDiesInATrialLeavesASafeRobotForTheNext) {
  ToyServer server;
  for (int round = 0; round < 3; ++round) {
    RawClient client(server.address());
    client.Hello();
    client.Ask(Reset(round));
    client.Ask(Command(round, 0, "1"));
    client.Close();
  }
  RawClient last(server.address());
  last.Hello();
  EXPECT_EQ(server.backend().stops(), 3);
  EXPECT_THAT(server.backend().commands(), testing::ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(LinkServer, ASecondClientIsToldBusyAndTheFirstGoesOn) {
  ToyServer server;
  RawClient first(server.address());
  first.Hello();
  RawClient second(server.address());
  EXPECT_THAT(second.Ask(R"({"type":"hello","protocol":"realward-link","version":1,"client":"x"})"),
              HasSubstr(R"("code":"busy")"));
  EXPECT_EQ(second.Read(), "closed");
  EXPECT_THAT(first.Ask(Reset(1)), HasSubstr(R"("seq":0)"));
}

TEST(LinkServer, AClientThatSaysNothingIsDropped) {
  ToyOptions toy;
  toy.hello_timeout_s = 0.02;
  ToyServer server(toy);
  RawClient client(server.address());
  EXPECT_THAT(client.Read(), HasSubstr("no hello"));
  EXPECT_EQ(client.Read(), "closed");
}

TEST(LinkServer, ARealClockStreamsStatesAndHoldsTheLastCommand) {
  ToyOptions toy;
  toy.clock = LinkClock::kReal;
  toy.control_period_s = 0.002;
  toy.watchdog_s = 0.3;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  client.Send(Command(1, 0, "1.5"));
  // The stream ends by the watchdog; what it is made of does not depend on how fast this thread
  // runs.
  std::int64_t seq = 0;
  double t_s = 0.0;
  int held = 0;
  bool stopped = false;
  while (!stopped) {
    const auto message = DecodeLink(client.Read());
    ASSERT_TRUE(message.ok()) << message.error().message;
    const auto* state = std::get_if<RobotState>(&*message);
    if (state == nullptr) continue;
    EXPECT_EQ(state->seq, ++seq);
    EXPECT_GT(state->t_s, t_s);
    t_s = state->t_s;
    stopped = state->status == TrialStatus::kStopped;
    if (!stopped && state->command_seq == 0) {
      EXPECT_EQ(state->values[1], 1.5);
      ++held;
    } else {
      EXPECT_EQ(state->values[1], 0.0);
    }
  }
  EXPECT_GT(held, 1);
  EXPECT_THAT(client.Read(), HasSubstr(R"("end":"watchdog")"));
}

// A tick is never early and robot time is wall time times the speed, so t_s of state k lies between
// k periods and what has passed here since before the reset.
TEST(LinkServer, ARealClockRunsAtTheSpeedThatWasAskedFor) {
  ToyOptions toy;
  toy.clock = LinkClock::kReal;
  toy.control_period_s = 0.04;
  toy.horizon = 100;
  toy.serve.speed = 20.0;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  const auto before = std::chrono::steady_clock::now();
  client.Ask(Reset(1));
  for (;;) {
    const auto message = DecodeLink(client.Read());
    ASSERT_TRUE(message.ok());
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (const auto* state = std::get_if<RobotState>(&*message)) {
      EXPECT_GE(state->t_s, state->seq * 0.04 * (1.0 - 1e-6));
      EXPECT_LE(state->t_s, passed * 20.0);
    } else if (std::holds_alternative<TrialResult>(*message)) {
      EXPECT_LT(passed, 4.0) << "100 periods of 40 ms take 0.2 s";
      break;
    }
  }
}

TEST(LinkServer, ASpeedThatIsNoneIsNotServed) {
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    ToyOptions toy;
    toy.serve.speed = speed;
    const Status status = ToyServer(toy).Join();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalidInput);
    EXPECT_THAT(status.error().message, HasSubstr("speed"));
  }
}

TEST(LinkServer, NotesOfTheBackendAreAnnouncedOnlyWhenAsked) {
  for (const bool announce : {false, true}) {
    ToyOptions toy;
    toy.effects[1].notes = {{"fault_begins", "joint_jams of 'hinge'"}};
    toy.serve.announce_notes = announce;
    std::vector<std::string> log;  // of the serving thread, read when that has ended
    toy.serve.log = [&](std::string_view line) { log.emplace_back(line); };
    ToyServer server(toy);
    RawClient client(server.address());
    client.Hello();
    client.Ask(Reset(1));
    std::string line = client.Ask(Command(1, 0, "0"));
    if (announce) {
      EXPECT_EQ(line, R"({"type":"event","kind":"fault_begins","trial":1,"seq":1,)"
                      R"("message":"joint_jams of 'hinge'"})");
      line = client.Read();
    }
    EXPECT_THAT(line, HasSubstr(R"("type":"state","trial":1,"seq":1)"));
    EXPECT_TRUE(server.Join().ok());
    EXPECT_THAT(log, testing::Contains(HasSubstr("joint_jams of 'hinge'")));
  }
}

TEST(LinkServer, AStallOfTheLinkHoldsTheStateBack) {
  ToyOptions toy;
  toy.effects[1].hold_s = 0.2;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(client.Ask(Command(1, 0, "0")), HasSubstr(R"("seq":1)"));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(200));
  EXPECT_THAT(client.Ask(Command(1, 1, "0")), HasSubstr(R"("seq":2)"));  // and it goes on
}

// Nothing comes before the trial has ended, which the watchdog sees to; then all of it does.
TEST(LinkServer, AStallWithoutEndLastsUntilTheTrialEnds) {
  std::atomic<bool> ended{false};
  ToyOptions toy;
  toy.watchdog_s = 0.1;
  toy.effects[1].hold_s = std::numeric_limits<double>::infinity();
  toy.serve.log = [&](std::string_view line) {
    if (line.find("ended after") != line.npos) ended = true;
  };
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  EXPECT_FALSE(ended);
  EXPECT_THAT(client.Ask(Command(1, 0, "1")), HasSubstr(R"("seq":1)"));
  EXPECT_TRUE(ended);
  EXPECT_THAT(client.Read(), HasSubstr(R"("kind":"watchdog")"));
  EXPECT_THAT(client.Read(), HasSubstr(R"("status":"stopped")"));
  EXPECT_THAT(client.Read(), HasSubstr(R"("end":"watchdog")"));
  EXPECT_THAT(client.Ask(Reset(2)), HasSubstr(R"("trial":2,"seq":0)"));
}

TEST(LinkServer, ALinkThatBreaksLeavesASafeRobotForTheNext) {
  ToyOptions toy;
  toy.safe = 0.25;
  toy.effects[2].breaks = true;
  ToyServer server(toy);
  {
    RawClient client(server.address());
    client.Hello();
    client.Ask(Reset(1));
    client.Ask(Command(1, 0, "1"));
    EXPECT_EQ(client.Ask(Command(1, 1, "1")), "closed");
  }
  RawClient next(server.address());
  next.Hello();
  EXPECT_EQ(server.backend().commands(), (std::vector<double>{1, 1, 0.25}));
  EXPECT_EQ(server.backend().stops(), 1);
}

TEST(LinkServer, ARobotThatDiesSaysNothingAndDoesNothingMore) {
  std::atomic<int> deaths{0};
  ToyOptions toy;
  toy.safe = 0.25;
  toy.effects[2].dies = true;
  toy.serve.die = [&] { ++deaths; };
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  client.Ask(Command(1, 0, "1"));
  EXPECT_EQ(client.Ask(Command(1, 1, "1")), "closed");
  const Status status = server.Join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(ExitStatus(status.error().kind), 3);
  EXPECT_THAT(status.error().message, HasSubstr("died in trial 1"));
  EXPECT_EQ(deaths, 1);
  EXPECT_EQ(server.backend().commands(), (std::vector<double>{1, 1}));
  EXPECT_EQ(server.backend().stops(), 1);
}

TEST(LinkServer, ABrokenBackendEndsServingAndSaysSo) {
  ToyOptions toy;
  toy.fail_at_step = 2;
  ToyServer server(toy);
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  client.Ask(Command(1, 0, "0"));
  EXPECT_THAT(client.Ask(Command(1, 1, "0")),
              AllOf(HasSubstr(R"("code":"robot")"), HasSubstr("the motor is on fire")));
  EXPECT_EQ(client.Read(), "closed");
  const Status status = server.Join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the motor is on fire");
  EXPECT_EQ(server.backend().stops(), 1);
}

TEST(LinkServer, ARefusedResetIsTheClientsToHandle) {
  ToyServer server;
  RawClient client(server.address());
  client.Hello();
  EXPECT_THAT(client.Ask(Reset(666)),
              AllOf(HasSubstr(R"("code":"reset","about":"reset")"), HasSubstr("no such trial")));
  EXPECT_THAT(client.Ask(Reset(1)), HasSubstr(R"("seq":0)"));
}

TEST(LinkServer, TheStopFlagEndsATrialSafely) {
  ToyServer server;
  RawClient client(server.address());
  client.Hello();
  client.Ask(Reset(1));
  EXPECT_TRUE(server.Join().ok());
  EXPECT_THAT(client.Read(), HasSubstr(R"("status":"stopped")"));
  EXPECT_THAT(client.Read(), HasSubstr(R"("end":"stopped")"));
  EXPECT_EQ(client.Read(), "closed");
  EXPECT_EQ(server.backend().stops(), 1);
}

TEST(LinkServer, ADescriptionThatIsWrongIsNotServed) {
  ToyOptions toy;
  toy.control_period_s = -1.0;
  ToyServer server(toy);
  const Status status = server.Join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kInvalidInput);
}

}  // namespace
}  // namespace realward
