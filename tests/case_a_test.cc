// Model import cases. Inputs and expected values lie in tests/cases/<id>.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "base/hash.h"
#include "sim/environments.h"
#include "sim/joint_coupling.h"
#include "spec/model_import.h"
#include "spec/task.h"
#include "spec/urdf_mass.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string CasePath(const std::string& id, const std::string& name) {
  return std::string(RW_SOURCE_DIR) + "/tests/cases/" + id + "/" + name;
}
Json Expected(const std::string& id) {
  return Json::parse(*ReadFile(CasePath(id, "expected.json")));
}
std::string Written(const std::string& name, const std::string& text) {
  const std::string path =
      testing::TempDir() + "/case_a_" + std::to_string(::getpid()) + "_" + name;
  std::ofstream(path) << text;
  return path;
}
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
// The worst severity of the findings about an object whose name is quoted; "" when there is none.
std::string Worst(const std::vector<ModelFinding>& findings, const std::string& name) {
  std::string worst;
  int most = -1;
  for (const ModelFinding& finding : findings) {
    if (finding.object.find("'" + name + "'") == std::string::npos) continue;
    if (static_cast<int>(finding.severity) > most) worst = Name(finding.severity);
    most = std::max(most, static_cast<int>(finding.severity));
  }
  return worst;
}
double MovingMass(const mjModel& m) {
  double mass = 0.0;
  for (int b = 1; b < m.nbody; ++b) mass += m.body_weldid[b] != 0 ? m.body_mass[b] : 0.0;
  return mass;
}
int Id(const mjModel& m, mjtObj type, const std::string& name) {
  const int id = mj_name2id(&m, type, name.c_str());
  EXPECT_GE(id, 0) << name;
  return id;
}

TEST(case, a01_urdf_moving_link_without_inertial) {
  const std::string id = "a01_urdf_moving_link_without_inertial";
  const Json expected = Expected(id);
  const std::string path = CasePath(id, "tray.urdf");
  const auto refused = ImportModel(path);
  ASSERT_FALSE(refused.ok());
  for (const auto& link : expected["problem_links"])
    EXPECT_THAT(refused.error().message,
                HasSubstr(fmt::format("link '{}'", link.get<std::string>())));
  for (const auto& link : expected["not_problem_links"])
    EXPECT_THAT(refused.error().message,
                Not(HasSubstr(fmt::format("link '{}'", link.get<std::string>()))));

  const auto filled = InspectModel(path, {.fill_masses = true});
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  ASSERT_NE(filled->model, nullptr);
  const mjModel& m = *filled->model;
  for (const auto& link : expected["problem_links"]) {
    const std::string name = link.get<std::string>();
    EXPECT_TRUE(std::any_of(filled->repairs.begin(), filled->repairs.end(), [&](const auto& r) {
      return r.object == "link '" + name + "'" && r.what == "mass";
    })) << name;
    EXPECT_GT(m.body_mass[Id(m, mjOBJ_BODY, name)], 0.0);
  }
  const double declared = expected["declared_total_mass"];
  EXPECT_GT(MovingMass(m), declared);
  EXPECT_LE(MovingMass(m), expected["repaired_total_mass_max"].get<double>());
  for (int b = 1; b < m.nbody; ++b) {
    const mjtNum* i = m.body_inertia + 3 * b;
    const double sum = i[0] + i[1] + i[2];
    EXPECT_LE(2.0 * std::max({i[0], i[1], i[2]}), sum * (1.0 + 1e-12)) << b;
  }
  // Welded frames keep their names.
  EXPECT_GE(mj_name2id(&m, mjOBJ_BODY, "tray"), 0);
  EXPECT_GE(mj_name2id(&m, mjOBJ_BODY, "swivel"), 0);
  // It steps.
  const DataPtr d = MakeData(m);
  for (int k = 0; k < 500; ++k) mj_step(&m, d.get());
  EXPECT_EQ(DivergenceCount(d->warning), 0);
}

TEST(case, a04_urdf_mimic) {
  const std::string id = "a04_urdf_mimic";
  const Json expected = Expected(id);
  const auto import = InspectModel(CasePath(id, "pinch.urdf"));
  ASSERT_TRUE(import.ok()) << import.error().message;
  ASSERT_NE(import->model, nullptr);
  const mjModel& m = *import->model;
  const int a = m.jnt_qposadr[Id(m, mjOBJ_JOINT, "slide_a")];
  const int b = m.jnt_qposadr[Id(m, mjOBJ_JOINT, "slide_b")];
  const auto couplings = JointCouplings(m);
  std::vector<mjtNum> qpos(m.qpos0, m.qpos0 + m.nq), qvel(m.nv, 0.0);
  for (const auto& pair : expected["pairs_a_b"]) {
    qpos[a] = pair[0];
    FollowLeaders(couplings, qpos.data(), qvel.data());
    EXPECT_NEAR(qpos[b], pair[1].get<double>(), 1e-9);
  }
  auto wanted = expected["independent_actions_if_flap_actuated"].get<std::vector<std::string>>();
  auto found = IndependentJoints(m);
  std::sort(wanted.begin(), wanted.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(ObjectNames(m, mjOBJ_ACTUATOR).size(), wanted.size());
  std::string warnings;
  for (const ModelFinding& finding : import->findings) {
    if (finding.severity == ModelSeverity::kWarning) warnings += ToText(finding, "pinch") + "\n";
  }
  for (const auto& word : expected["warning_mentions"])
    EXPECT_THAT(warnings, HasSubstr("'" + word.get<std::string>() + "'"));

  // As a task: it begins coupled, and stays so while slide_a is commanded.
  const std::string task_text = R"(task: pinch
model: {model}
control_rate: 50 Hz
horizon: 2 s
actions: [{actuator: slide_a, range: [-0.5 N, 0.5 N]}, {actuator: flap_j}]
observations: [{term: position, joint: slide_a}, {term: position, joint: slide_b}]
reward: [{term: alive}]
success: {all: []}
)";
  const std::string task_path =
      Written("pinch.yaml", Replaced(task_text, "{model}", CasePath(id, "pinch.urdf")));
  const auto task = LoadTask(task_path);
  ASSERT_TRUE(task.ok()) << task.error().message;
  auto env = Environments::Make(*task, {}, {});
  ASSERT_TRUE(env.ok()) << env.error().message;
  EXPECT_EQ((*env)->qpos(0)[a], 0.0);
  EXPECT_NEAR((*env)->qpos(0)[b], 0.018, 1e-12);
  const auto push = [](const void*, const StreamId&, std::span<const float>,
                       std::span<float> action) {
    action[0] = 0.2f;
    action[1] = 0.0f;
  };
  int steps = 0;
  for (; steps < 40; ++steps) {
    (*env)->Step(push, nullptr);
    if ((*env)->qpos(0)[a] > 0.035) break;  // before it strikes its own stop at 0.04
    EXPECT_NEAR((*env)->qpos(0)[b], 0.018 - 0.8 * (*env)->qpos(0)[a], 2e-4) << steps;
  }
  EXPECT_GT((*env)->qpos(0)[a], 0.03);
  EXPECT_GT(steps, 5);
}

TEST(case, a06_urdf_bad_limits) {
  const std::string id = "a06_urdf_bad_limits";
  const auto import = InspectModel(CasePath(id, "limits.urdf"));
  ASSERT_TRUE(import.ok()) << import.error().message;
  EXPECT_EQ(import->model, nullptr);
  for (const auto& [joint, severity] : Expected(id)["findings"].items()) {
    const std::string worst = Worst(import->findings, joint);
    if (severity.is_null()) {
      EXPECT_EQ(worst, "") << joint;
    } else {
      EXPECT_NE(worst, "") << joint;
      EXPECT_THAT(severity.get<std::string>(), HasSubstr(worst)) << joint;
    }
  }
  const auto refused = ImportModel(CasePath(id, "limits.urdf"));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("'swapped'"));
}

TEST(case, a07_mjcf_degree_units) {
  const std::string id = "a07_mjcf_degree_units";
  const Json expected = Expected(id);
  const auto import = InspectModel(CasePath(id, "limb.xml"));
  ASSERT_TRUE(import.ok()) << import.error().message;
  const mjModel& m = *import->model;
  for (const auto& [name, range] : expected["jnt_range"].items()) {
    const int j = Id(m, mjOBJ_JOINT, name);
    for (int end = 0; end < 2; ++end)
      EXPECT_NEAR(m.jnt_range[2 * j + end], range[end].get<double>(), 1e-9) << name;
  }
  for (const auto& [name, range] : expected["ctrlrange"].items()) {
    const int u = Id(m, mjOBJ_ACTUATOR, name);
    for (int end = 0; end < 2; ++end)
      EXPECT_NEAR(m.actuator_ctrlrange[2 * u + end], range[end].get<double>(), 1e-9) << name;
  }
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(m.qpos0[j], expected["qpos0"][j].get<double>(), 1e-9);
    EXPECT_NEAR(m.dof_damping[j], expected["dof_damping"][j].get<double>(), 1e-9);
    EXPECT_NEAR(m.jnt_stiffness[j], expected["jnt_stiffness"][j].get<double>(), 1e-9);
  }
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(m.eq_data[i], expected["polycoef"][i].get<double>(), 1e-9);
  for (const auto& name : expected["warning_on"])
    EXPECT_EQ(Worst(import->findings, name.get<std::string>()), "warning");
  EXPECT_EQ(import->findings.size(), expected["warning_on"].size());
}

std::string ServoTask(const std::string& action, const std::string& model) {
  return fmt::format(
      "task: servo\nmodel: {}\ncontrol_rate: 100 Hz\nhorizon: 1 s\nactions: [{}]\n"
      "observations: [{{term: last_action}}]\nreward: [{{term: alive}}]\nsuccess: {{all: []}}\n",
      model, action);
}

TEST(case, a09_mjcf_unlimited_actuator) {
  const std::string id = "a09_mjcf_unlimited_actuator";
  const Json expected = Expected(id);
  const std::string model = CasePath(id, "noranges.xml");
  const auto load = [&](const std::string& action) {
    return LoadTask(Written("servo.yaml", ServoTask(action, model)));
  };
  for (const auto& [name, limited] : expected["ctrllimited"].items()) {
    const auto m = ImportModel(model);
    EXPECT_EQ((*m)->actuator_ctrllimited[Id(**m, mjOBJ_ACTUATOR, name)], limited.get<int>());
    const auto task = load("{actuator: " + name + "}");
    const Json& target = expected["target_at_0.5"][name];
    if (target.is_string()) {
      ASSERT_FALSE(task.ok()) << name;
      EXPECT_THAT(task.error().message, AllOf(HasSubstr(name), HasSubstr("give one")));
      continue;
    }
    ASSERT_TRUE(task.ok()) << task.error().message;
    EXPECT_NEAR(CommandOf(task->actions[0], 0.5), target.get<double>(), 1e-9) << name;
    EXPECT_EQ(task->notes.size(), limited.get<int>() == 0 ? 1u : 0u);
  }
  EXPECT_THAT(load("{actuator: elbow_s}")->notes[0],
              AllOf(HasSubstr("'elbow_s'"), HasSubstr("[-0.3, 1.1]"), HasSubstr("joint")));
  // A target outside the joint's range, which the model never declared as a range of the actuator.
  const auto wide = load("{actuator: elbow_s, range: [-3 rad, 3 rad]}");
  ASSERT_TRUE(wide.ok()) << wide.error().message;
  auto env = Environments::Make(*wide, {}, {});
  const auto most = [](const void*, const StreamId&, std::span<const float>,
                       std::span<float> action) { action[0] = 1.0f; };
  double force = 0.0;
  (*env)->Step(most, nullptr);
  // kp (3 − q) moves it to the stop faster than kp (1.1 − q) could: torque 75 N·m at the start.
  const auto& m = (*env)->model();
  const int u = Id(m, mjOBJ_ACTUATOR, "elbow_s");
  const DataPtr d = MakeData(m);
  d->ctrl[u] = CommandOf(wide->actions[0], 1.0);
  mj_forward(&m, d.get());
  force = d->actuator_force[u];
  EXPECT_NEAR(force, m.actuator_gainprm[mjNGAIN * u] * 3.0, 1e-9);
  mj_resetData(&m, d.get());
  const int steps = static_cast<int>(std::lround(wide->control_period / m.opt.timestep));
  for (int k = 0; k < steps; ++k) {
    d->ctrl[u] = 3.0;
    mj_step(&m, d.get());
  }
  EXPECT_NEAR((*env)->qpos(0)[0], d->qpos[0], 1e-12);
}

TEST(case, a11_mjcf_keyframe_size) {
  const std::string id = "a11_mjcf_keyframe_size";
  const Json expected = Expected(id);
  const std::string base = ServoTask("{actuator: m, range: [-1 N*m, 1 N*m]}", "{model}");
  // The case's model has no actuator, which a task needs.
  const std::string model = Written(
      "bench.xml", Replaced(*ReadFile(CasePath(id, "bench.xml")), "<keyframe>",
                            "<actuator><motor name=\"m\" joint=\"swing\"/></actuator><keyframe>"));
  const auto load = [&](const std::string& keyframe) {
    return LoadTask(
        Written("bench.yaml", Replaced(base, "{model}", model) + "keyframe: " + keyframe + "\n"));
  };
  const auto ready = load("ready");
  ASSERT_TRUE(ready.ok()) << ready.error().message;
  const auto env = Environments::Make(*ready, {}, {});
  ASSERT_TRUE(env.ok()) << env.error().message;
  const auto pose = expected["accept"][1].get<std::vector<double>>();
  ASSERT_EQ((*env)->qpos(0).size(), pose.size());
  for (std::size_t i = 0; i < pose.size(); ++i) EXPECT_NEAR((*env)->qpos(0)[i], pose[i], 1e-9) << i;
  const auto stand = load("stand");
  ASSERT_FALSE(stand.ok());
  EXPECT_THAT(stand.error().message, HasSubstr("'stand'"));
  for (const auto& key : expected["missing_key_error_lists"])
    EXPECT_THAT(stand.error().message, HasSubstr(key.get<std::string>()));
  EXPECT_EQ(ToJson(*ready).at("keyframe"), "ready");
}

}  // namespace
}  // namespace realward
