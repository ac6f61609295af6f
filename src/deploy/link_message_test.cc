#include "deploy/link_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/hash.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RobotDescription Pendulum() {
  RobotDescription robot;
  robot.robot = "pendulum";
  robot.channels = {{"hinge.position", "rad"}, {"hinge.velocity", "rad/s"}};
  robot.actuators = {{"motor", "N*m", -1.5, 1.5, 0.0}, {"brake", "1", -kInfinity, kInfinity, 0.25}};
  robot.control_period_s = 0.01;
  robot.clock = LinkClock::kReal;
  robot.watchdog_s = 0.5;
  robot.can_reset = false;
  return robot;
}

std::string ErrorOf(std::string_view line) {
  const auto message = DecodeLink(line);
  if (message.ok()) return "accepted";
  EXPECT_EQ(message.error().kind, ErrorKind::kInvalidInput);
  return message.error().message;
}

template <class T>
void ExpectRoundTrip(const T& value) {
  const std::string line = EncodeLink(value);
  ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
  const auto back = DecodeLink(line);
  ASSERT_TRUE(back.ok()) << back.error().message << " in " << line;
  EXPECT_EQ(std::get<T>(*back), value) << line;
}

TEST(LinkMessage, EveryMessageComesBack) {
  ExpectRoundTrip(HelloMessage{"realward-link", 1, "bench \"7\"\n\x01 \xc3\xa9"});
  ExpectRoundTrip(Pendulum());
  ExpectRoundTrip(ResetMessage{12, std::numeric_limits<std::uint64_t>::max()});
  ExpectRoundTrip(EventMessage{"watchdog", 3, 57, "no command for 0.5 s"});
  ExpectRoundTrip(TrialResult{3, std::nullopt, std::nullopt, LinkTrialEnd::kWatchdog, 57});
  ExpectRoundTrip(TrialResult{3, false, -0.1, LinkTrialEnd::kTerminated, 0});
  ExpectRoundTrip(ErrorMessage{"stale", "command", "the command is of trial 2"});
  ExpectRoundTrip(StopMessage{});
  ExpectRoundTrip(ByeMessage{});
}

// The wire form is public: other programs are written against docs/robot-link.md.
TEST(LinkMessage, TheWireFormIsTheDocumentedOne) {
  EXPECT_EQ(EncodeLink(HelloMessage{"realward-link", 1, "me"}),
            R"({"type":"hello","protocol":"realward-link","version":1,"client":"me"})"
            "\n");
  EXPECT_EQ(
      EncodeLink(Pendulum()),
      R"({"type":"welcome","version":1,"robot":"pendulum","channels":[)"
      R"({"name":"hinge.position","unit":"rad"},{"name":"hinge.velocity","unit":"rad/s"}],"actuators":[)"
      R"({"name":"motor","unit":"N*m","low":-1.5,"high":1.5,"safe":0.0},)"
      R"({"name":"brake","unit":"1","low":null,"high":null,"safe":0.25}],"control_period_s":0.01,)"
      R"("clock":"real","watchdog_s":0.5,"can_reset":false})"
      "\n");
  EXPECT_EQ(
      EncodeLink(RobotState{12, 3, 0.03, 2, TrialStatus::kOk, {0.1, std::nan("")}}),
      R"({"type":"state","trial":12,"seq":3,"t_s":0.03,"command_seq":2,"status":"ok","values":[0.1,null]})"
      "\n");
  EXPECT_EQ(EncodeLink(RobotCommand{12, 3, 0.03, {-0.5}}),
            R"({"type":"command","trial":12,"seq":3,"t_s":0.03,"values":[-0.5]})"
            "\n");
  EXPECT_EQ(
      EncodeLink(TrialResult{12, true, std::nullopt, LinkTrialEnd::kHorizon, 500}),
      R"({"type":"result","trial":12,"success":true,"return":null,"end":"horizon","steps":500})"
      "\n");
}

TEST(LinkMessage, ErrorsNameTheFieldTheValueAndWhatIsValid) {
  EXPECT_THAT(ErrorOf("{\"type\":\"sate\"}"), AllOf(HasSubstr("'sate'"), HasSubstr("state")));
  EXPECT_THAT(ErrorOf("[1,2]"), HasSubstr("expected an object"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("'type' is missing"));
  EXPECT_THAT(ErrorOf("{\"type\":4}"), HasSubstr("'type'"));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":1})"), HasSubstr("'seed' is missing"));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":1,"sede":2,"seed":2})"),
              AllOf(HasSubstr("'sede'"), HasSubstr("seed")));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":-1,"seed":2})"),
              AllOf(HasSubstr("reset.trial"), HasSubstr("-1"), HasSubstr("2^63")));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":1.5,"seed":2})"), HasSubstr("1.5"));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":9223372036854775808,"seed":2})"),
              HasSubstr("reset.trial"));
  EXPECT_THAT(ErrorOf(R"({"type":"command","trial":1,"seq":0,"t_s":0,"values":[0,"fast"]})"),
              AllOf(HasSubstr("command.values[1]"), HasSubstr("\"fast\"")));
  EXPECT_THAT(ErrorOf(R"({"type":"command","trial":1,"seq":0,"t_s":null,"values":[]})"),
              HasSubstr("command.t_s: expected a number, got null"));
  EXPECT_THAT(ErrorOf(R"({"type":"command","trial":1,"seq":0,"t_s":0,"values":[NaN]})"),
              HasSubstr("send null"));
  EXPECT_THAT(
      ErrorOf(
          R"({"type":"result","trial":1,"success":"yes","return":0,"end":"horizon","steps":1})"),
      AllOf(HasSubstr("result.success"), HasSubstr("\"yes\"")));
  EXPECT_THAT(
      ErrorOf(R"({"type":"result","trial":1,"success":true,"return":0,"end":"won","steps":1})"),
      AllOf(HasSubstr("\"won\""), HasSubstr("terminated")));
}

TEST(LinkMessage, AnotherVersionIsRecognisedWhateverItsOtherFields) {
  const auto hello =
      DecodeLink(R"({"type":"hello","protocol":"realward-link","version":2,"secret":[1]})");
  ASSERT_TRUE(hello.ok()) << hello.error().message;
  EXPECT_EQ(std::get<HelloMessage>(*hello).version, 2);
  EXPECT_THAT(ErrorOf(R"({"type":"welcome","version":7,"body":{}})"),
              AllOf(HasSubstr("version 7"), HasSubstr("version 1")));
}

TEST(LinkMessage, ADescriptionThatCannotBeTrueIsRefused) {
  const auto error_of = [](auto change) {
    RobotDescription robot = Pendulum();
    change(robot);
    const Status status = CheckDescription(robot);
    return status.ok() ? std::string("accepted") : status.error().message;
  };
  EXPECT_EQ(error_of([](auto&) {}), "accepted");
  EXPECT_THAT(error_of([](auto& r) { r.channels[1].name = "hinge.position"; }),
              AllOf(HasSubstr("channels[1]"), HasSubstr("hinge.position")));
  EXPECT_THAT(error_of([](auto& r) { r.actuators[0].name = ""; }), HasSubstr("actuators[0].name"));
  EXPECT_THAT(error_of([](auto& r) { std::swap(r.actuators[0].low, r.actuators[0].high); }),
              AllOf(HasSubstr("'motor'"), HasSubstr("low 1.5"), HasSubstr("high -1.5")));
  EXPECT_THAT(error_of([](auto& r) { r.actuators[0].low = std::nan(""); }), HasSubstr("'motor'"));
  EXPECT_THAT(error_of([](auto& r) { r.actuators[0].safe = 2.0; }), HasSubstr("safe 2"));
  EXPECT_THAT(error_of([](auto& r) { r.control_period_s = 0.0; }), HasSubstr("control_period_s"));
  EXPECT_THAT(error_of([](auto& r) { r.watchdog_s = kInfinity; }), HasSubstr("watchdog_s"));
}

TEST(LinkMessage, DeepNestingAndBadTextAreErrorsNotCrashes) {
  EXPECT_THAT(ErrorOf(std::string(100000, '[')), HasSubstr("not JSON"));
  // As deep as a line can be: nothing on the way may recurse over it.
  const std::string nest = std::string(kLinkMaxLine / 2, '[') + std::string(kLinkMaxLine / 2, ']');
  EXPECT_THAT(ErrorOf(nest), HasSubstr("an object"));
  EXPECT_THAT(ErrorOf("{\"type\":" + nest + "}"), HasSubstr("'type'"));
  EXPECT_THAT(ErrorOf(R"({"type":"reset","trial":1,"seed":)" + nest + "}"),
              AllOf(HasSubstr("reset.seed"), HasSubstr("a list of 1")));
  EXPECT_THAT(ErrorOf(R"({"type":"bye","x":)" + nest + "}"), HasSubstr("'x'"));
  EXPECT_THAT(ErrorOf("{\"type\":\"\xff\xfe\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(ErrorOf(std::string("\0\0\0", 3)), HasSubstr("???"));
  EXPECT_THAT(ErrorOf("{\"type\":\"bye\"} {\"type\":\"bye\"}"), HasSubstr("not JSON"));
  // Errors stay short and printable whatever the line.
  EXPECT_LT(ErrorOf(R"({"type":")" + std::string(100000, 'x') + "\"}").size(), 300u);
}

const std::vector<std::string>& Samples() {
  static const std::vector<std::string> samples = {
      EncodeLink(HelloMessage{}),
      EncodeLink(Pendulum()),
      EncodeLink(ResetMessage{1, 2}),
      EncodeLink(RobotState{1, 2, 0.5, 1, TrialStatus::kEnded, {1.0, 2.5e-7}}),
      EncodeLink(RobotCommand{1, 2, 0.5, {0.25}}),
      EncodeLink(EventMessage{"clipped", 1, 2, "text"}),
      EncodeLink(TrialResult{1, true, 3.5, LinkTrialEnd::kHorizon, 9}),
      EncodeLink(ErrorMessage{"stale", "command", "text"})};
  return samples;
}

// Mutated lines are refused, or accepted as something that comes back the same once more.
RC_GTEST_PROP(LinkMessage, MutatedLinesNeverCrashAndWhatIsAcceptedIsConsistent, ()) {
  std::string line = *rc::gen::elementOf(Samples());
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits && !line.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        line[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        line.insert(at, 1, *rc::gen::elementOf(std::string("0123456789-.e,:[]{}\"\\ntrufals")));
        break;
      case 2:
        line.erase(at, *rc::gen::inRange<std::size_t>(1, 12));
        break;
      default:
        line.insert(at, line.substr(0, *rc::gen::inRange<std::size_t>(0, line.size())));
    }
  }
  const auto message = DecodeLink(line);
  if (!message.ok()) {
    RC_ASSERT(!message.error().message.empty());
    return;
  }
  const std::string again = EncodeLink(*message);
  const auto back = DecodeLink(again);
  RC_ASSERT(back.ok());
  RC_ASSERT(EncodeLink(*back) == again);
}

RC_GTEST_PROP(LinkMessage, RandomBytesAreRefused, (const std::string& bytes)) {
  RC_ASSERT(!DecodeLink(bytes).ok());
}

}  // namespace
}  // namespace realward
