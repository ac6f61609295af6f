#include "spec/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numbers>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kDeg = std::numbers::pi / 180;

constexpr const char* kModel = R"(<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <worldbody>
    <body><joint name="hinge" type="hinge"/><geom size="0.1"/></body>
    <body><joint name="elbow" type="hinge" limited="true" range="-1 1"/><geom size="0.1"/></body>
    <body><joint name="rail" type="slide" ref="0.25"/><geom size="0.1"/></body>
    <body><joint name="eye" type="ball"/><geom size="0.1"/></body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="hinge" ctrllimited="true" ctrlrange="-2 2"/>
    <motor name="free" joint="rail"/>
  </actuator>
</mujoco>)";

constexpr const char* kTask = R"(task: pendulum-swingup
model: model.xml
control_rate: 100 Hz
horizon: 10 s
actions:
  - {actuator: motor, range: [-1.5 N*m, 1.5 N*m]}
observations:
  - {term: cos, joint: hinge}
  - {term: velocity, joint: hinge, scale: 0.1, clip: 10, history: 2}
  - {term: last_action, history: 3}
reward:
  - {term: cos_to, joint: hinge, target: 180 deg, weight: 2}
  - {term: near, joint: rail, target: 1 cm, within: 5 mm}
terminate:
  - {when: velocity_above, joint: hinge, limit: 30 rad/s}
success:
  hold: 1 s
  all:
    - {when: near, joint: hinge, target: 180 deg, within: 12 deg}
    - {when: slow, joint: hinge, within: 1 rad/s}
reset:
  - {joint: hinge, position: [-5 deg, 5 deg], velocity: [-0.1 rad/s, 0.1 rad/s]}
  - {joint: rail}
)";

Result<TaskSpec> Load(const std::string& yaml, const std::string& model = kModel) {
  WriteTestFile("model.xml", model);
  return LoadTask(WriteTestFile("task.yaml", yaml));
}

// The errors after one replacement in the valid task.
std::string ErrorsOf(std::string_view from, std::string_view to) {
  const auto task = Load(Replaced(kTask, from, to));
  return task.ok() ? "" : task.error().message;
}

TEST(Task, ReadsTheDocumentedForm) {
  const auto task = Load(kTask);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->name, "pendulum-swingup");
  EXPECT_EQ(task->model_hash, HashBytes(kModel));
  EXPECT_EQ(task->model_path.front(), '/');
  EXPECT_EQ(task->control_period, 0.01);
  EXPECT_EQ(task->horizon, 10.0);
  ASSERT_EQ(task->actions.size(), 1u);
  EXPECT_EQ(task->actions[0].high, 1.5);
  ASSERT_EQ(task->observations.size(), 3u);
  EXPECT_EQ(task->observations[0].kind, ObservationKind::kCos);
  EXPECT_EQ(task->observations[1].scale, 0.1);
  EXPECT_EQ(task->observations[1].clip, 10.0);
  EXPECT_EQ(task->observations[1].history, 2);
  EXPECT_EQ(task->observations[2].joint, "");
  ASSERT_EQ(task->rewards.size(), 2u);
  EXPECT_DOUBLE_EQ(task->rewards[0].target, std::numbers::pi);
  EXPECT_EQ(task->rewards[0].weight, 2.0);
  EXPECT_DOUBLE_EQ(task->rewards[1].within, 0.005);
  ASSERT_EQ(task->terminations.size(), 1u);
  EXPECT_EQ(task->terminations[0].within, 30.0);
  ASSERT_EQ(task->success.size(), 2u);
  EXPECT_DOUBLE_EQ(task->success[0].within, 12 * kDeg);
  EXPECT_EQ(task->success_hold, 1.0);
  ASSERT_EQ(task->resets.size(), 2u);
  EXPECT_DOUBLE_EQ(task->resets[0].position_low, -5 * kDeg);
  EXPECT_EQ(task->resets[1].position_low, 0.25) << "the model's reference position";
  EXPECT_EQ(task->resets[1].velocity_high, 0.0);
}

TEST(Task, JsonReadsBackAndIsTheIdentity) {
  const auto task = Load(kTask);
  ASSERT_TRUE(task.ok());
  const Json json = ToJson(*task);
  const auto back = TaskFromJson(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(ToJson(*back), json);
  EXPECT_EQ(back->model_path, "");
  EXPECT_THAT(json.dump(), Not(HasSubstr(testing::TempDir())));
  // Units and spelling of defaults do not change the identity; a value does.
  const auto same = Load(Replaced(kTask, "180 deg, weight: 2", "3.141592653589793, weight: 2.0"));
  EXPECT_EQ(HashJson(ToJson(*same)), HashJson(json));
  const auto other = Load(Replaced(kTask, "weight: 2", "weight: 3"));
  EXPECT_NE(HashJson(ToJson(*other)), HashJson(json));
}

TEST(Task, JsonIsReadStrictly) {
  Json json = ToJson(*Load(kTask));
  json["actions"][0].erase("range");
  EXPECT_THAT(TaskFromJson(json).error().message, HasSubstr("'motor' has no 'range'"));
  json["horizon"] = "ten";
  json["extra"] = 1;
  const std::string message = TaskFromJson(json).error().message;
  EXPECT_THAT(message, HasSubstr("'ten' is not a number"));
  EXPECT_THAT(message, HasSubstr("key 'extra': unknown key"));
  EXPECT_FALSE(TaskFromJson(Json(3)).ok());
}

TEST(Task, ActionRangeFallsBackToTheModel) {
  const auto task = Load(Replaced(kTask, ", range: [-1.5 N*m, 1.5 N*m]", ""));
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->actions[0].low, -2.0);
  EXPECT_EQ(task->actions[0].high, 2.0);
  EXPECT_THAT(ErrorsOf("motor, range: [-1.5 N*m, 1.5 N*m]", "free"),
              HasSubstr("task.yaml:6: key 'actions[0]': has no 'range', and actuator 'free' has no "
                        "ctrlrange"));
}

TEST(Task, ChecksActions) {
  EXPECT_THAT(
      ErrorsOf("actuator: motor", "actuator: moter"),
      HasSubstr("task.yaml:6: key 'actuator' in actions[0]: unknown actuator 'moter'; nearest "
                "valid: motor"));
  EXPECT_THAT(ErrorsOf("-1.5 N*m, 1.5 N*m", "-1.5 N*m, 1.5 V"),
              HasSubstr("'1.5 V' is in V (voltage)"));
  EXPECT_THAT(ErrorsOf("-1.5 N*m, 1.5 N*m", "1.5 N*m, -1.5 N*m"), HasSubstr("is reversed"));
  EXPECT_THAT(ErrorsOf("-1.5 N*m, 1.5 N*m", "1, 1"), HasSubstr("no effect"));
  EXPECT_THAT(ErrorsOf("-1.5 N*m, 1.5 N*m", "-3, 3"), HasSubstr("leaves the ctrlrange [-2, 2]"));
  EXPECT_THAT(ErrorsOf("-1.5 N*m, 1.5 N*m", "-3 s, 3 s"), HasSubstr("s (time)"));
  EXPECT_THAT(ErrorsOf("1.5 N*m]}", "1.5 N*m]}\n  - {actuator: motor}"),
              HasSubstr("'motor' stands twice"));
  EXPECT_EQ(ErrorsOf("-1.5 N*m, 1.5 N*m", "-1.5 V, 1.5 V"), "") << "the actuator's own unit";
}

TEST(Task, ChecksJointsAgainstTheModel) {
  EXPECT_THAT(
      ErrorsOf("cos, joint: hinge", "cos, joint: hinje"),
      HasSubstr("task.yaml:8: key 'joint' in observations[0]: the model has no joint 'hinje'; "
                "nearest valid: hinge"));
  EXPECT_THAT(ErrorsOf("cos, joint: hinge", "cos, joint: eye"), HasSubstr("ball or free joint"));
  EXPECT_THAT(ErrorsOf("cos, joint: hinge", "cos, joint: rail"), HasSubstr("'rail' is a slide"));
  EXPECT_THAT(ErrorsOf("cos_to, joint: hinge, target: 180 deg", "cos_to, joint: rail, target: 1 m"),
              HasSubstr("'rail' is a slide"));
  EXPECT_THAT(ErrorsOf("target: 1 cm", "target: 1 deg"), HasSubstr("m, cm, mm or um (length)"));
  EXPECT_THAT(ErrorsOf("limit: 30 rad/s", "limit: 30 m/s"), HasSubstr("(angular_velocity)"));
  EXPECT_THAT(ErrorsOf("{joint: rail}", "{joint: elbow, position: [-2 rad, 0 rad]}"),
              HasSubstr("leaves the range [-1, 1] of joint 'elbow'"));
  EXPECT_THAT(ErrorsOf("{joint: rail}", "{joint: hinge}"),
              HasSubstr("'hinge' stands twice in reset"));
}

TEST(Task, ObservesTheModelsOwnSensors) {
  std::string model = kModel;
  model.replace(model.find("<body>"), 6, "<body><site name=\"imu\"/>");
  model.replace(model.find("</mujoco>"), 9,
                "<sensor><gyro name=\"gyro\" site=\"imu\"/><accelerometer site=\"imu\"/>"
                "<framepos name=\"where\" objtype=\"site\" objname=\"imu\"/></sensor></mujoco>");
  const auto yaml = [](const char* name) {
    return Replaced(kTask, "{term: last_action, history: 3}",
                    std::string("{term: sensor, sensor: ") + name + ", scale: 0.25}");
  };
  const auto task = Load(yaml("gyro"), model);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->observations[2].kind, ObservationKind::kSensor);
  EXPECT_EQ(task->observations[2].sensor, "gyro");
  const auto back = TaskFromJson(ToJson(*task));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(ToJson(*back), ToJson(*task));
  EXPECT_THAT(Load(yaml("giro"), model).error().message, HasSubstr("'giro'; nearest valid: gyro"));
  EXPECT_THAT(Load(yaml("where"), model).error().message, HasSubstr("no such sensor 'where'"));
  EXPECT_THAT(Load(yaml("gyro")).error().message, HasSubstr("has no accelerometer, gyro"));
}

TEST(Task, ChecksKeysOfEachTerm) {
  EXPECT_THAT(ErrorsOf("{term: cos,", "{term: cosine,"),
              HasSubstr("'cosine' is unknown; nearest valid: "));
  EXPECT_THAT(ErrorsOf("{term: last_action,", "{term: last_action, joint: hinge,"),
              HasSubstr("key 'joint' in observations[2]: unknown key"));
  EXPECT_THAT(ErrorsOf("limit: 30 rad/s", "within: 30 rad/s"),
              HasSubstr("key 'limit' in terminate[0]: is"));
  EXPECT_THAT(ErrorsOf("within: 12 deg", "within: 0 deg"), HasSubstr("valid: > 0 rad"));
  EXPECT_THAT(ErrorsOf("scale: 0.1", "scale: 0"), HasSubstr("hide the value"));
  EXPECT_THAT(ErrorsOf("history: 3", "history: 0"), HasSubstr("valid: 1 to 1000"));
  EXPECT_THAT(ErrorsOf("clip: 10", "clip: -10"), HasSubstr("valid: > 0"));
  EXPECT_THAT(ErrorsOf("reward:\n", "reward:\n  - {term: succes}\n"),
              HasSubstr("nearest valid: success"));
  EXPECT_EQ(ErrorsOf("reward:\n", "reward:\n  - {term: success, weight: 5}\n"), "");
}

TEST(Task, ChecksTimes) {
  EXPECT_THAT(
      ErrorsOf("100 Hz", "300 Hz"),
      HasSubstr("task.yaml:3: key 'control_rate': the control period 0.0033333333333333335 s is no "
                "whole multiple of the model's time step 0.002 s"));
  EXPECT_THAT(ErrorsOf("100 Hz", "1000 Hz"), HasSubstr("(0.5 steps)"));
  EXPECT_EQ(ErrorsOf("control_rate: 100 Hz", "control_period: 4 ms"), "");
  EXPECT_THAT(ErrorsOf("control_rate: 100 Hz", "control_rate: 100 ms"), HasSubstr("(frequency)"));
  EXPECT_THAT(ErrorsOf("control_rate: 100 Hz\n", ""), HasSubstr("either key 'control_rate' or"));
  EXPECT_THAT(ErrorsOf("control_rate: 100 Hz", "control_rate: 100 Hz\ncontrol_period: 10 ms"),
              HasSubstr("either key 'control_rate' or"));
  EXPECT_THAT(ErrorsOf("horizon: 10 s", "horizon: 5 ms"),
              HasSubstr("shorter than one control period"));
  EXPECT_THAT(ErrorsOf("hold: 1 s", "hold: 11 s"), HasSubstr("longer than the horizon of 10 s"));
}

TEST(Task, SuccessMayBeReachingTheHorizon) {
  std::string yaml = kTask;
  const std::size_t begin = yaml.find("success:"), end = yaml.find("reset:");
  yaml.replace(begin, end - begin, "success: {all: []}\n");
  const auto task = Load(yaml);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_TRUE(task->success.empty());
  EXPECT_THAT(Load(Replaced(yaml, "reward:\n", "reward:\n  - {term: success}\n")).error().message,
              HasSubstr("no success conditions"));
}

TEST(Task, BadModelsAreReportedWithTheOtherErrors) {
  const std::string missing =
      Load(Replaced(Replaced(kTask, "model.xml", "modle.xml"), "10 s", "-10 s")).error().message;
  EXPECT_THAT(missing, HasSubstr("task.yaml:2: key 'model': cannot read "));
  EXPECT_THAT(missing, HasSubstr("task.yaml:4: key 'horizon'"));
  const auto broken = Load(kTask, "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(broken.error().message, HasSubstr("key 'model': model "));
}

TEST(Task, AllErrorsComeInOnePass) {
  const std::string yaml = Replaced(
      Replaced(
          Replaced(Replaced(kTask, "actuator: motor", "actuator: m"), "cos, joint", "cos, jint"),
          "12 deg", "12 kg"),
      "hold: 1 s", "hold: -1 s");
  const std::string errors = Load(yaml).error().message;
  for (const char* part :
       {"task.yaml:6: key 'actuator'", "task.yaml:8: key 'joint' in observations[0]",
        "task.yaml:8: key 'jint'", "task.yaml:17: key 'hold' in success",
        "task.yaml:19: key 'within' in success.all[0]"}) {
    EXPECT_THAT(errors, HasSubstr(part));
  }
}

// Any damage to a valid file ends in a value or in errors. The model stays the same.
RC_GTEST_PROP(Task, DamagedFilesNeverCrash, ()) {
  std::string text = kTask;
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(30, text.size());
    text[at] =
        *rc::gen::element('[', ']', '{', '}', ':', '-', '\n', ' ', '*', '&', '!', '\'', '0', '9');
  }
  const auto task = Load(text);
  if (!task.ok()) RC_ASSERT(task.error().kind == ErrorKind::kInvalidInput);
  if (task.ok()) RC_ASSERT(TaskFromJson(ToJson(*task)).ok());
}

}  // namespace
}  // namespace realward
