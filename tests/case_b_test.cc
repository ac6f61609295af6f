// Domain randomisation cases. Inputs and expected values lie in tests/cases/<id>. The requests
// there are in another vocabulary; Translate() says them as a gap spec.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

#include "base/file.h"
#include "sim/command_path.h"
#include "sim/environments.h"
#include "worlds/plan.h"

namespace realward {
namespace {

using testing::HasSubstr;

std::string CasePath(const std::string& id, const std::string& name) {
  return std::string(RW_SOURCE_DIR) + "/tests/cases/" + id + "/" + name;
}
Json Expected(const std::string& id) {
  return Json::parse(*ReadFile(CasePath(id, "expected.json")));
}
YAML::Node Input(const std::string& id, const std::string& name) {
  return YAML::LoadFile(CasePath(id, name));
}
ModelPtr CaseModel(const std::string& id, const std::string& name) {
  return std::move(LoadModel(CasePath(id, name))).value();
}
std::string TempPath(const std::string& name) {
  return testing::TempDir() + "/case_b_" + std::to_string(::getpid()) + "_" + name;
}

// ---- Requests as gap specs.

std::string FlowText(const YAML::Node& node) {
  YAML::Emitter out;
  out << YAML::Flow << node;
  return out.c_str();
}

// A regular expression as a glob: ".*" is "*". What has no glob (as a character set) stays, and is
// then no name of the model.
std::string Glob(std::string pattern) {
  for (std::size_t at; (at = pattern.find(".*")) != std::string::npos;) pattern.erase(at, 1);
  return pattern;
}

std::string Targets(const YAML::Node& request, const std::string& kind, const std::string& only) {
  for (const char* key : {"bodies", "joints", "geoms", "actuators"}) {
    const YAML::Node names = request[key];
    if (!names) continue;
    if (names.IsScalar()) return fmt::format("\"{}\"", Glob(names.Scalar()));
    std::string list;
    for (const YAML::Node& name : names)
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", Glob(name.Scalar()));
    return fmt::format("[{}]", list);
  }
  return kind.starts_with("joint_") ? "q" : only;
}

std::string DistributionText(const YAML::Node& request) {
  const std::string kind = request["dist"] ? request["dist"].Scalar() : "uniform";
  if (kind == "gaussian")
    return fmt::format("{{normal: {{mean: {}, std: {}}}}}", request["mean"].Scalar(),
                       request["std"].Scalar());
  return fmt::format("{{{}: {}}}", kind, FlowText(request["range"]));
}

// One parameter of a gap spec. The targets of a request that names none are "q" of a joint's field
// and `only` of the others'. Keys that are unknown there stay.
std::string Translate(const YAML::Node& request, const std::string& only = "link") {
  std::string kind = request["field"].Scalar();
  if (kind == "action_delay_s") kind = "actuator_delay";
  if (kind == "geom_friction_slide") kind = "geom_friction";
  std::string text = fmt::format("  - name: {}\n    kind: {}\n    target: {}\n    operation: {}\n",
                                 request["id"] ? request["id"].Scalar() : kind, kind,
                                 Targets(request, kind, only), request["op"].Scalar());
  text += "    level: episode\n    distribution: " + DistributionText(request) + "\n";
  for (const auto& entry : request) {
    const std::string key = entry.first.Scalar();
    static const std::set<std::string> known = {"id",    "field",     "bodies", "joints",
                                                "geoms", "actuators", "op",     "dist",
                                                "range", "mean",      "std",    "when"};
    if (!known.contains(key)) text += fmt::format("    {}: {}\n", key, FlowText(entry.second));
  }
  return text;
}

Result<GapSpec> Gap(const std::string& parameters) {
  const std::string path = TempPath("gap.yaml");
  RW_TRY(WriteFileAtomic(path, "gap: case\nparameters:\n" + parameters));
  return LoadGap(path);
}

// What comes of one request on a model.
struct Outcome {
  std::string error;                 // empty: accepted
  std::vector<AppliedValue> values;  // at the centre of the distribution
};
Outcome Try(const mjModel& model, const std::string& parameters) {
  const auto gap = Gap(parameters);
  if (!gap.ok()) return {gap.error().message, {}};
  const auto plan = WorldPlan::Make(model, *gap);
  if (!plan.ok()) return {plan.error().message, {}};
  std::vector<double> centres;
  for (const GapParameter& p : gap->parameters) centres.push_back(Centre(p.distribution));
  return {"", plan->Explain(centres)};
}

std::string AllOf(const YAML::Node& requests) {
  std::string parameters;
  for (const YAML::Node& request : requests) parameters += Translate(request);
  return parameters;
}

// Draws and applies a spec to a model of one's own, with derived constants.
void ApplyDraw(mjModel& model, const GapSpec& gap) {
  const WorldPlan plan = std::move(WorldPlan::Make(model, gap)).value();
  std::vector<double> values(gap.parameters.size());
  Drawer(gap).Draw({1, 0, 0, 0}, values);
  WorldStore store(model);
  plan.Apply(values, store.On(RowsOf(model)));
  DataPtr data = MakeData(model);
  if (plan.needs_set_const()) mj_setConst(&model, data.get());
}

void ExpectNear(const mjtNum* found, const Json& expected, double relative) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = expected[i];
    EXPECT_NEAR(found[i], value, relative * std::max(1e-3, std::abs(value))) << i;
  }
}

std::vector<char> Bytes(const mjModel& model) {
  std::vector<char> bytes(mj_sizeModel(&model));
  mj_saveModel(&model, nullptr, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

// ---- Cases.

TEST(case, b01_mass_scale_needs_inertia_and_setconst) {
  const std::string id = "b01_mass_scale_needs_inertia_and_setconst";
  const Json expected = Expected(id);
  const GapSpec gap = *Gap(AllOf(Input(id, "request.yaml")["randomize"]));
  const ModelPtr nominal = CaseModel(id, "flyer.xml");
  ModelPtr model = CopyModel(*nominal);
  ApplyDraw(*model, gap);
  const int hub = 1, boom = 2;
  ExpectNear(model->body_mass + hub, expected["body_mass"], 1e-6);
  ExpectNear(model->body_inertia + 3 * boom, expected["body_inertia_boom"], 1e-6);
  ExpectNear(model->body_subtreemass, expected["body_subtreemass"], 1e-6);
  ExpectNear(model->dof_M0, expected["dof_M0"], 1e-6);
  ExpectNear(model->body_invweight0 + 2 * boom, expected["body_invweight0_boom"], 1e-6);
  DataPtr data = MakeData(*model);
  mj_forward(model.get(), data.get());
  ExpectNear(data->subtree_com + 3 * hub, expected["subtree_com_hub"], 1e-6);

  // The hub held: the same model without its free joint.
  std::string held = *ReadFile(CasePath(id, "flyer.xml"));
  held.replace(held.find("<freejoint/>"), 12, "");
  for (const bool scaled : {false, true}) {
    ModelPtr arm = std::move(LoadModelText(held)).value();
    if (scaled) ApplyDraw(*arm, gap);
    DataPtr state = MakeData(*arm);
    state->qfrc_applied[0] = 0.5;
    mj_forward(arm.get(), state.get());
    ExpectNear(state->qacc,
               Json::array({expected[scaled ? "hinge_acc_scaled" : "hinge_acc_nominal"]}), 1e-6);
  }

  // The nominal value after the scaled one, on the same model, is the compiled model.
  const WorldPlan plan = std::move(WorldPlan::Make(*nominal, gap)).value();
  const double one = 1.0;
  plan.Apply({&one, 1}, {.rows = RowsOf(*model)});
  mj_setConst(model.get(), data.get());
  EXPECT_EQ(Bytes(*model), Bytes(*nominal));
  // So is the one without any randomisation.
  ApplyDraw(*model, GapSpec());
  EXPECT_EQ(Bytes(*model), Bytes(*nominal));
}

TEST(case, b03_kp_needs_biasprm) {
  const std::string id = "b03_kp_needs_biasprm";
  const Json expected = Expected(id);
  const GapSpec gap = *Gap(AllOf(Input(id, "request.yaml")["randomize"]));
  ModelPtr model = CaseModel(id, "servo.xml");
  ApplyDraw(*model, gap);
  EXPECT_DOUBLE_EQ(model->actuator_gainprm[0], expected["gainprm0"].get<double>());
  ExpectNear(model->actuator_biasprm, expected["biasprm"], 1e-12);
  DataPtr data = MakeData(*model);
  data->ctrl[0] = 0.3;
  while (data->time < 10.0) mj_step(model.get(), data.get());
  EXPECT_NEAR(data->qpos[0], expected["steady_state"].get<double>(), 1e-4);
  const Outcome outcome =
      Try(*CaseModel(id, "servo.xml"), AllOf(Input(id, "request.yaml")["randomize"]));
  ASSERT_EQ(outcome.values.size(), 2u);
  EXPECT_EQ(outcome.values[0].effective, expected["metadata"]["stiffness"].get<double>());
  EXPECT_EQ(outcome.values[1].effective, expected["metadata"]["damping"].get<double>());
}

// "error", "ok", "ok:a,b", "error|truncated", ... against what came out.
void ExpectVerdict(const std::string& allowed, const Outcome& outcome, const std::string& id) {
  std::vector<std::string> targets;
  for (const AppliedValue& value : outcome.values) targets.push_back(value.target);
  const std::string names = fmt::format("{}", fmt::join(targets, ","));
  std::istringstream choices(allowed);
  bool fits = false;
  for (std::string choice; std::getline(choices, choice, '|');) {
    if (choice == "error") fits |= !outcome.error.empty();
    if (choice == "ok") fits |= outcome.error.empty();
    if (choice == "ok:" + names || choice == "resolved:" + names) fits |= outcome.error.empty();
    if (choice.starts_with("mass ") && outcome.values.size() == 1)
      fits |= std::abs(outcome.values[0].effective - std::stod(choice.substr(5))) < 1e-12;
  }
  EXPECT_TRUE(fits) << id << " should be " << allowed << ", is "
                    << (outcome.error.empty() ? "ok: " + names : outcome.error);
}

TEST(case, b05_invalid_ranges) {
  const std::string id = "b05_invalid_ranges";
  const Json expected = Expected(id);
  const YAML::Node requests = Input(id, "requests.yaml")["requests"];
  const ModelPtr model = CaseModel(id, "arm.xml");
  std::string all, in_reader, for_plan;
  for (const YAML::Node& request : requests) {
    const std::string name = request["id"].Scalar();
    const std::string text = Translate(request);
    const Outcome outcome = Try(*model, text);
    ExpectVerdict(expected["verdict"][name], outcome, name);
    all += text;
    if (!Gap(text).ok()) {
      in_reader += name + " ";
    } else {
      for_plan += text;
    }
  }
  // One pass over the file lists all that it says by itself, one over the model the rest.
  const auto whole = Gap(all);
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(in_reader, "r1 r2 r3 r6 r7 r8 r9 r10 ");
  const std::string& message = whole.error().message;
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 7) << message;
  for (const char* number : {"1.3", "0.7", "-0.1", "-0.01"})
    EXPECT_THAT(message, HasSubstr(number));
  EXPECT_THAT(message, HasSubstr("2.3 %"));  // r7, as p_negative_r7
  EXPECT_NEAR(NormalBelow(0.0, 1.0, 0.5), expected["p_negative_r7"].get<double>(), 1e-10);
  const std::string rest = Try(*model, for_plan).error;
  EXPECT_THAT(rest, HasSubstr("'r4'"));
  EXPECT_THAT(rest, HasSubstr("-1 … 2.5"));
  EXPECT_THAT(rest, HasSubstr("'r5'"));
  EXPECT_THAT(rest, HasSubstr("-0.01 … 0.03"));
  EXPECT_THAT(rest, testing::Not(HasSubstr("'ok")));
}

TEST(case, b06_unknown_names_are_errors) {
  const std::string id = "b06_unknown_names_are_errors";
  const Json expected = Expected(id);
  const ModelPtr model = CaseModel(id, "names.xml");
  for (const YAML::Node& request : Input(id, "requests.yaml")["requests"]) {
    const std::string name = request["id"].Scalar();
    const Outcome outcome = Try(*model, Translate(request));
    ExpectVerdict(expected["verdict"][name], outcome, name);
    const std::string nearest = expected["suggestions"].value(name, "");
    EXPECT_THAT(outcome.error, HasSubstr(nearest));
  }
  // A glob that names a target again writes it once.
  const Outcome once =
      Try(*model, Translate(YAML::Load("{field: body_mass, bodies: [torso_link, "
                                       "torso_*], op: scale, range: [1.1, 1.1]}")));
  ASSERT_EQ(once.values.size(), 1u);
  EXPECT_DOUBLE_EQ(once.values[0].effective, 3.3);
}

TEST(case, b10_delay_not_multiple_of_step) {
  const std::string id = "b10_delay_not_multiple_of_step";
  const Json expected = Expected(id);
  const YAML::Node setup = Input(id, "setup.yaml");
  const double step = setup["timestep_s"].as<double>();
  const int decimation = setup["decimation"].as<int>();
  const double delay = setup["action_delay_s"].as<double>();
  const double period = decimation * step;
  std::vector<double> history(8, 0.0);  // newest first; before the first command the reset value
  std::vector<double> seen;
  double impulse = 0.0;
  for (const YAML::Node& command : setup["command"]) {
    history.insert(history.begin(), command["u"].as<double>());
    for (int k = 0; k < decimation; ++k) {
      seen.push_back(DelayedAverage(history, period, delay, k * step, step));
      impulse += seen.back() * step;
    }
  }
  while (seen.size() < expected["sequence_exact"].size()) {  // the last command stays
    const double from = (static_cast<double>(seen.size()) - 15) * step;
    seen.push_back(DelayedAverage(history, period, delay, from, step));
  }
  // As the exact rule, but in the step in which a command arrives the average of both.
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const double u = expected["sequence_exact"][k]["u"];
    const double next =
        k + 1 < seen.size() ? expected["sequence_exact"][k + 1]["u"].get<double>() : u;
    EXPECT_NEAR(seen[k], next != u ? 0.5 * (u + next) : u, 1e-12) << k * step;
  }
  // Half of 1.0 in the step at 0.016 s, as a delay of 7 ms has it.
  EXPECT_GT(seen[8], 0.0);
  EXPECT_LT(seen[8], 1.0);
  // The mean delay over the first change, from the impulse that is missing when the command is 1.
  double first_change = 0.0;
  for (int k = 5; k < 15; ++k) first_change += step * (1.0 - seen[k]);
  EXPECT_NEAR(first_change, delay, 1e-12);
  EXPECT_GE(1e3 * first_change, expected["effective_delay_range_ms"][0].get<double>());
  EXPECT_LE(1e3 * first_change, expected["effective_delay_range_ms"][1].get<double>());

  // The same in the simulation: a free mass of 1 kg gets that impulse.
  const std::string path = TempPath("delay.xml");
  ASSERT_TRUE(WriteFileAtomic(path, R"(<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
      <body><joint name="x" type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
      </worldbody><actuator><motor name="push" joint="x"/></actuator></mujoco>)")
                  .ok());
  TaskSpec task;
  task.model_path = path;
  task.control_period = period;
  task.horizon = 10.0;
  task.actions = {{"push", -1.0, 1.0}};
  task.observations = {{ObservationKind::kVelocity, "x"}};
  const GapSpec gap =
      *Gap(fmt::format("  - {{kind: actuator_delay, target: push, distribution: {} s}}\n", delay));
  auto env = std::move(Environments::Make(task, gap, {})).value();
  for (const YAML::Node& command : setup["command"]) {
    const float u = command["u"].as<float>();
    env->Step([](const void* value, const StreamId&, std::span<const float>,
                 std::span<float> action) { action[0] = *static_cast<const float*>(value); },
              &u);
  }
  EXPECT_NEAR(env->qvel(0)[0], impulse, 1e-12);
  EXPECT_NEAR(impulse, 1.0 * 0.020 - 0.5 * 0.003, 1e-12);  // 17 to 37 ms, then 3 ms
}

// ---- b12.

constexpr char kGyro[] = R"(<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body>
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  </body></worldbody></mujoco>)";

TaskSpec GyroTask(int steps) {
  TaskSpec task;
  task.model_path = TempPath("gyro.xml");
  EXPECT_TRUE(WriteFileAtomic(task.model_path, kGyro).ok());
  task.control_period = 0.01;
  task.horizon = 0.01 * steps;
  for (const char* joint : {"x", "y", "z"})
    task.observations.push_back({ObservationKind::kVelocity, joint});
  task.rewards = {{RewardKind::kVelocitySquared, "x", 0.0, 1.0, 1.0}};
  return task;
}

// One parameter per component: the targets of one parameter would share their draw.
GapSpec GyroGap(const YAML::Node& noise) {
  std::string text;
  for (const char* joint : {"x", "y", "z"}) {
    text += fmt::format(
        "  - {{kind: sensor_noise, target: {0}.velocity, level: step, distribution: {1}}}\n"
        "  - {{kind: sensor_offset, target: {0}.velocity, level: episode, distribution: {{normal: "
        "{{mean: 0, std: {2}}}}}}}\n",
        joint, noise["white"]["std"].Scalar(), noise["bias"]["std"].Scalar());
  }
  return *Gap(text);
}

double Std(const std::vector<double>& x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double sum = 0.0;
  for (double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(x.size() - 1));
}

double Correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

void NoAction(const void*, const StreamId&, std::span<const float>, std::span<float>) {}

// What the policy reads, episode by episode: [env][component] → offsets, and all residuals.
struct Recording {
  std::vector<std::vector<std::vector<double>>> offsets;
  std::vector<double> residuals;
  double lagged = 0.0;  // Σ r[t] r[t+1] / Σ r², over all episodes
};

Recording Record(Environments& env, int episodes, int steps) {
  Recording recording;
  const int envs = env.worlds();
  recording.offsets.assign(envs, std::vector<std::vector<double>>(3));
  std::vector<double> seen(static_cast<std::size_t>(envs) * 3 * steps);
  double products = 0.0, squares = 0.0;
  for (int episode = 0; episode < episodes; ++episode) {
    for (int t = 0; t < steps; ++t) {
      for (int e = 0; e < envs; ++e) {
        for (int c = 0; c < 3; ++c) seen[(e * 3 + c) * steps + t] = env.observations()(e, c);
      }
      env.Step(&NoAction, nullptr);
      for (double reward : env.rewards()) EXPECT_EQ(reward, 0.0);  // the reward sees the truth
    }
    for (int e = 0; e < envs; ++e) {
      for (int c = 0; c < 3; ++c) {
        const double* x = seen.data() + (e * 3 + c) * steps;
        const double mean = std::accumulate(x, x + steps, 0.0) / steps;
        recording.offsets[e][c].push_back(mean);
        for (int t = 0; t < steps; ++t) {
          recording.residuals.push_back(x[t] - mean);
          squares += (x[t] - mean) * (x[t] - mean);
          if (t > 0) products += (x[t] - mean) * (x[t - 1] - mean);
        }
      }
    }
  }
  recording.lagged = products / squares;
  return recording;
}

TEST(case, b12_noise_per_step_or_per_episode) {
  const std::string id = "b12_noise_per_step_or_per_episode";
  const Json expected = Expected(id);
  const YAML::Node setup = Input(id, "noise.yaml");
  const int envs = setup["envs"].as<int>(), episodes = setup["episodes"].as<int>();
  const int steps = setup["steps"].as<int>();
  const GapSpec gap = GyroGap(setup["noise"]);
  EnvironmentOptions options{
      .worlds = envs, .threads = 2, .seed = setup["seed"].as<std::uint64_t>()};
  auto env = std::move(Environments::Make(GyroTask(steps), gap, options)).value();
  const Recording recording = Record(*env, episodes, steps);

  const double within = expected["within_episode_std"], between = expected["between_episode_std"];
  EXPECT_NEAR(Std(recording.residuals), within, 0.05 * within);
  EXPECT_NEAR(recording.lagged, 0.0, 0.01);
  std::vector<std::vector<double>> component(3), unit(envs);
  for (int e = 0; e < envs; ++e) {
    for (int c = 0; c < 3; ++c) {
      const auto& offsets = recording.offsets[e][c];
      component[c].insert(component[c].end(), offsets.begin(), offsets.end());
      unit[e].insert(unit[e].end(), offsets.begin(), offsets.end());
    }
  }
  EXPECT_EQ(component[0].size(), expected["n_offsets"].get<std::size_t>());
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(Std(component[c]), between, 0.05 * between) << c;
    EXPECT_LT(std::abs(Correlation(component[c], component[(c + 1) % 3])),
              expected["abs_corr_components_max"].get<double>());
  }
  double sum = 0.0;
  for (int a = 0; a < envs; ++a) {
    for (int b = 0; b < a; ++b) sum += Correlation(unit[a], unit[b]);
  }
  EXPECT_LT(std::abs(sum / (0.5 * envs * (envs - 1))),
            expected["abs_mean_pairwise_corr_envs_max"].get<double>());

  // The clean value stays; the stream does not depend on the threads.
  for (int e = 0; e < envs; ++e) EXPECT_EQ(env->qvel(e)[0], 0.0);
  std::vector<std::vector<double>> streams;
  for (int threads : {1, 2, 8}) {
    options.threads = threads;
    auto again = std::move(Environments::Make(GyroTask(20), gap, options)).value();
    streams.push_back(Record(*again, 2, 20).residuals);
  }
  EXPECT_EQ(streams[1], streams[0]);
  EXPECT_EQ(streams[2], streams[0]);
}

}  // namespace
}  // namespace realward
