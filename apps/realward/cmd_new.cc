// realward new FOLDER: a project to start from.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "verbs.h"

namespace realward {
namespace {

constexpr char kModel[] = R"(<mujoco model="pendulum">
  <!-- Replace this by your robot. MJCF or URDF; give every moving body its measured mass and inertia. -->
  <compiler angle="radian"/>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <body name="pendulum">
      <joint name="hinge" type="hinge" axis="0 1 0" damping="0.01"/>
      <inertial pos="0 0 -0.45" mass="0.68" diaginertia="0.0093 0.0093 0.0001"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" ctrllimited="true" ctrlrange="-2 2"/></actuator>
</mujoco>
)";

constexpr char kTask[] =
    R"(# What the policy sees, does and earns. `realward check task.yaml` explains every mistake.
task: {name}
model: model.xml
control_rate: 50 Hz
horizon: 10 s
actions:
  - {{actuator: motor, range: [-2 N*m, 2 N*m]}}
observations:
  - {{term: cos, joint: hinge}}
  - {{term: sin, joint: hinge}}
  - {{term: velocity, joint: hinge, scale: 0.2, history: 3}}
  - {{term: last_action, history: 3}}
reward:
  - {{term: cos_to, joint: hinge, target: 180 deg, weight: 1}}
  - {{term: near, joint: hinge, target: 180 deg, within: 0.5 rad, weight: 1}}
  - {{term: action_squared, weight: -0.05}}
success:
  hold: 1 s
  all:
    - {{when: near, joint: hinge, target: 180 deg, within: 12 deg}}
    - {{when: slow, joint: hinge, within: 1 rad/s}}
reset:
  - {{joint: hinge, position: [-5 deg, 5 deg], velocity: [-0.1 rad/s, 0.1 rad/s]}}
)";

constexpr char kGap[] =
    R"(# What may differ between the model and the robot. Bounds make a parameter fittable from logs.
gap: {name}-wide
parameters:
  - kind: body_mass
    target: pendulum
    operation: scale
    distribution: {{uniform: [0.8, 1.25]}}
  - kind: joint_damping
    target: hinge
    distribution: {{uniform: [0 N*m*s/rad, 0.05 N*m*s/rad]}}
  - kind: joint_frictionloss
    target: hinge
    distribution: {{uniform: [0 N*m, 0.3 N*m]}}
  - kind: actuator_delay
    target: motor
    distribution: {{uniform: [0 ms, 20 ms]}}
  - kind: sensor_noise
    target: hinge.velocity
    distribution: {{uniform: [0 rad/s, 0.2 rad/s]}}
)";

constexpr char kLoop[] =
    R"(# The main job. Add `logs:` with recordings of your robot to fit the model first: docs/howto in the repository.
loop: {name}
task: task.yaml
seed: 1
train:
  steps: 600000
  worlds: 128
  rollout_steps: 64
policies:
  - {{name: nominal}}
  - {{name: wide, gaps: [gap.yaml]}}
suites:
  - {{name: nominal, worlds: 200}}
  - {{name: wide, gaps: [gap.yaml], worlds: 200}}
)";

int Run(const Context& context, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::exists(folder, code) && !(fs::is_directory(folder, code) && fs::is_empty(folder, code))) {
    return Report(context,
                  InvalidInput(fmt::format(
                      "{} exists and is not an empty folder; nothing was written", folder)));
  }
  const std::string name = fs::absolute(folder).lexically_normal().filename().string();
  Status status = MakeFolders(folder + "/logs");
  Json files = Json::array();
  for (const auto& [file, text] : std::initializer_list<std::pair<const char*, std::string>>{
           {"model.xml", kModel},
           {"task.yaml", fmt::format(kTask, fmt::arg("name", name))},
           {"gap.yaml", fmt::format(kGap, fmt::arg("name", name))},
           {"loop.yaml", fmt::format(kLoop, fmt::arg("name", name))}}) {
    if (status.ok()) status = WriteFileAtomic(folder + "/" + file, text);
    files.push_back(folder + "/" + file);
  }
  if (!status.ok()) return Report(context, status.error());
  return Answer(context, {{"files", files}},
                fmt::format("project '{0}' in {1}: model.xml task.yaml gap.yaml loop.yaml "
                            "logs/\nnext: realward check "
                            "{1}/task.yaml {1}/gap.yaml, then realward loop {1}/loop.yaml\n",
                            name, folder));
}

}  // namespace

void AddNew(CLI::App& app, Context& context) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("new", "Makes a project folder to start from");
  verb->add_option("folder", *folder, "Where")->required();
  AddCommon(*verb, context);
  verb->callback(
      [&context, folder] { context.run = [&context, folder] { return Run(context, *folder); }; });
}

}  // namespace realward
