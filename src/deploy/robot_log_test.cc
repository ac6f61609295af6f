#include "deploy/robot_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "deploy/link_client.h"
#include "deploy/link_toy_robot.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// An empty folder of the running test's own.
std::string Folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string folder =
      testing::TempDir() + "/robot_log_" + std::to_string(::getpid()) + "_" + test->name();
  std::filesystem::remove_all(folder);
  return folder;
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

RobotDescription Robot() {
  RobotDescription robot;
  robot.robot = "rw-1";
  robot.channels = {{"hinge.position", "deg"}, {"odd, \"name\"", ""}};
  robot.actuators = {{"motor", "N*m", -1.0, 1.0}, {"valve", "", 0.0, 1.0}};
  robot.control_period_s = 0.01;
  return robot;
}

std::unique_ptr<RobotLog> Open(const std::string& folder,
                               std::vector<std::string>* said = nullptr) {
  auto log = RobotLog::Open(folder, Robot(), [said](std::string_view text) {
    if (said != nullptr) said->emplace_back(text);
  });
  EXPECT_TRUE(log.ok()) << log.error().message;
  return std::move(log).value();
}

void RunTrial(RobotLog& log, std::int64_t trial, const std::string& aborted = "") {
  log.Begin(trial, std::vector<double>{1.5, 2.0});
  log.Add(std::vector<double>{0.5, 0.1}, 0.01, std::vector<double>{kNone, 1e-7});
  log.Note("fault_begins", 1, 0.01, "a \"joint\"");
  log.Add(std::vector<double>{-0.5, 0.2}, 0.02, std::vector<double>{1.0 / 3.0, -0.0});
  log.End({trial, true, 2.5, LinkTrialEnd::kHorizon, 2}, aborted, 3);
}

TEST(RobotLog, WritesATableItsMappingAndItsEvents) {
  const std::string folder = Folder();
  RunTrial(*Open(folder), 7);
  EXPECT_EQ(
      ReadFile(folder + "/trial_000007.csv").value(),
      "time [s],hinge.position [deg],\"odd, \"\"name\"\"\",command.motor [N*m],command.valve\n"
      "0,1.5,2,0.5,0.1\n"
      "0.01,,1e-07,-0.5,0.2\n"
      "0.02,0.3333333333333333,-0.0,,\n");
  EXPECT_EQ(ReadFile(folder + "/mapping.yaml").value(),
            "mapping: \"rw-1\"\n"
            "time: {column: time, unit: s}\n"
            "channels:\n"
            "  - {channel: \"hinge.position\", column: \"hinge.position\", unit: \"deg\"}\n"
            "  - {channel: \"odd, \\\"name\\\"\", column: \"odd, \\\"name\\\"\", unit: \"SI\"}\n"
            "commands:\n"
            "  - {actuator: \"motor\", column: \"command.motor\", unit: \"N*m\"}\n"
            "  - {actuator: \"valve\", column: \"command.valve\", unit: \"SI\"}\n"
            "csv: {separator: \",\", decimal: \".\"}\n");
  const std::string events = ReadFile(folder + "/events.jsonl").value();
  const std::size_t line = events.find('\n');
  EXPECT_EQ(Json::parse(events.substr(0, line)), Json({{"trial", 7},
                                                       {"seq", 1},
                                                       {"t_s", 0.01},
                                                       {"kind", "fault_begins"},
                                                       {"message", "a \"joint\""}}));
  EXPECT_EQ(Json::parse(events.substr(line + 1)), Json({{"trial", 7},
                                                        {"kind", "trial_ends"},
                                                        {"end", "horizon"},
                                                        {"success", true},
                                                        {"return", 2.5},
                                                        {"steps", 2},
                                                        {"overruns", 3},
                                                        {"partial", false},
                                                        {"message", ""},
                                                        {"file", "trial_000007.csv"}}));
}

TEST(RobotLog, MarksPartialTrialsAndOverwritesNone) {
  const std::string folder = Folder();
  auto log = Open(folder);
  RunTrial(*log, 1, "the connection ended");
  RunTrial(*log, 1);
  log.reset();
  RunTrial(*Open(folder), 1, "again");  // a robot that was started anew
  EXPECT_THAT(FilesOf(folder),
              UnorderedElementsAre("mapping.yaml", "events.jsonl", "trial_000001.partial.csv",
                                   "trial_000001_run2.csv", "trial_000001_run3.partial.csv"));
  EXPECT_THAT(ReadFile(folder + "/events.jsonl").value(), HasSubstr("the connection ended"));
}

TEST(RobotLog, AFolderOfAnotherRobotAndOddNamesAreRefused) {
  const std::string folder = Folder();
  Open(folder);
  RobotDescription other = Robot();
  other.channels[0].name = "elbow.position";
  auto refused = RobotLog::Open(folder, other, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("another robot"));
  EXPECT_TRUE(RobotLog::Open(folder, Robot(), {}).ok());
  const auto error_of = [&](const std::string& name, const std::string& unit) {
    RobotDescription robot = Robot();
    robot.channels[0] = {name, unit};
    const auto log = RobotLog::Open(Folder() + "_odd", robot, {});
    return log.ok() ? "" : log.error().message;
  };
  EXPECT_THAT(error_of("a\nb", "rad"), HasSubstr("cannot hold"));
  EXPECT_THAT(error_of("a [x]", ""), HasSubstr("cannot hold"));
  EXPECT_THAT(error_of("time", "s"), HasSubstr("'time'"));
  EXPECT_THAT(error_of("command.motor", ""), HasSubstr("two columns"));
  EXPECT_THAT(error_of("a", "furlong"), HasSubstr("furlong"));
  EXPECT_EQ(error_of("a", "rad"), "");
}

// A file-size limit makes write() fail half way, as a full disk does.
TEST(RobotLog, AFullDiskLosesRecordingsWholeAndSaysSoOnce) {
  const std::string folder = Folder();
  std::vector<std::string> said;
  const auto log = Open(folder, &said);
  RunTrial(*log, 1);
  const std::string events = ReadFile(folder + "/events.jsonl").value();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit small = old_limit;
  small.rlim_cur = events.size() + 20;  // the table does not fit, nor do the next events
  if (small.rlim_cur > 120) small.rlim_cur = 120;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  RunTrial(*log, 2);
  RunTrial(*log, 3);
  setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_EQ(log->lost(), 2);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("trial 2 is not recorded"));
  EXPECT_THAT(FilesOf(folder),
              UnorderedElementsAre("mapping.yaml", "events.jsonl", "trial_000001.csv"));
  EXPECT_EQ(ReadFile(folder + "/events.jsonl").value(), events);
  RunTrial(*log, 4);  // there is room again
  EXPECT_TRUE(std::filesystem::exists(folder + "/trial_000004.csv"));
}

// Through the server: what was applied, not what was asked for, and how each trial ended.
TEST(RobotLog, AServedRobotRecordsCommandsAsAppliedAndHowTrialsEnd) {
  const std::string folder = Folder();
  ToyOptions toy;
  toy.horizon = 3;
  toy.safe = 0.25;
  const RobotDescription description = ToyRobot(toy).Describe();
  const auto log = std::move(RobotLog::Open(folder, description, {})).value();
  toy.serve.recorder = log.get();
  {
    ToyServer server(toy);
    LinkClient client = std::move(LinkClient::Connect(server.address())).value();
    ASSERT_TRUE(client.Reset(0, 5).ok());
    for (const double command : {1.0, 7.0, -1.0})
      ASSERT_TRUE(client.Exchange(std::vector<double>{command}).ok());
    ASSERT_TRUE(client.Reset(1, 5).ok());
    ASSERT_TRUE(client.Exchange(std::vector<double>{1.0}).ok());
    ASSERT_TRUE(client.Stop().ok());  // the client may end a trial
    ASSERT_TRUE(client.Reset(2, 5).ok());
    ASSERT_TRUE(client.Exchange(std::vector<double>{1.0}).ok());
    ASSERT_TRUE(server.Join().ok());  // the robot is told to end in a trial
  }
  EXPECT_EQ(ReadFile(folder + "/trial_000000.csv").value(),
            "time [s],position [m],command [m/s],command.motor [m/s]\n"
            "0,0.5,5,1\n0.01,0.51,1,2\n0.02,0.53,2,-1\n0.03,0.52,-1,\n");
  EXPECT_EQ(ReadFile(folder + "/trial_000001.csv").value(),
            "time [s],position [m],command [m/s],command.motor [m/s]\n"
            "0,0.5,5,1\n0.01,0.51,1,0.25\n0.02,0.5125,0.25,\n");
  EXPECT_TRUE(std::filesystem::exists(folder + "/trial_000002.partial.csv"));
  const std::string events = ReadFile(folder + "/events.jsonl").value();
  EXPECT_THAT(events, HasSubstr(R"("kind":"clipped")"));
  EXPECT_THAT(events, HasSubstr("the robot was told to end"));
}

TEST(RobotLog, ATrialInWhichTheRobotFailsIsKeptAsPartial) {
  for (const bool dies : {false, true}) {
    const std::string folder = Folder();
    ToyOptions toy;
    if (dies) {
      toy.effects[2].dies = true;
    } else {
      toy.fail_at_step = 3;
    }
    const auto log = std::move(RobotLog::Open(folder, ToyRobot(toy).Describe(), {})).value();
    toy.serve.recorder = log.get();
    ToyServer server(toy);
    LinkClient client = std::move(LinkClient::Connect(server.address())).value();
    ASSERT_TRUE(client.Reset(0, 5).ok());
    Status status;
    while (status.ok()) {
      const auto reply = client.Exchange(std::vector<double>{1.0});
      if (!reply.ok()) status = reply.error();
    }
    EXPECT_FALSE(server.Join().ok());
    EXPECT_EQ(ReadFile(folder + "/trial_000000.partial.csv").value(),
              "time [s],position [m],command [m/s],command.motor [m/s]\n"
              "0,0.5,5,1\n0.01,0.51,1,1\n0.02,0.52,1,\n");
  }
}

}  // namespace
}  // namespace realward
