// realward robot serve: the virtual robot as a process. realward robot describe: what answers at an
// address.
#include <fmt/format.h>

#include "deploy/link_client.h"
#include "deploy/virtual_robot.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string task, gap, address, name = "virtual-robot";
  double watchdog = 2.0;
  bool real_time = false, quiet = false;
};

int Serve(const Context& context, const Options& options) {
  const Result<TaskSpec> task = LoadTask(options.task);
  if (!task.ok()) return Report(context, task.error());
  GapSpec hidden;
  hidden.name = "nominal";
  if (!options.gap.empty()) {
    Result<GapSpec> gap = LoadGap(options.gap);
    if (!gap.ok()) return Report(context, gap.error());
    hidden = std::move(gap).value();
  }
  VirtualRobotOptions robot_options;
  robot_options.name = options.name;
  robot_options.seed = context.seed;
  robot_options.watchdog = options.watchdog;
  robot_options.clock = options.real_time ? LinkClock::kReal : LinkClock::kVirtual;
  const auto robot = VirtualRobot::Make(*task, hidden, robot_options);
  if (!robot.ok()) return Report(context, robot.error());
  auto listener = LinkSocket::Listen(options.address);
  if (!listener.ok()) return Report(context, listener.error());
  if (!options.quiet)
    fmt::print(stderr, "robot '{}' listens at {}\n", options.name, listener->address());
  ServeOptions serve;
  serve.stop = context.stop;
  if (!options.quiet) serve.log = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
  const Status served = ServeRobot(*listener, **robot, serve);
  if (!served.ok()) return Report(context, served.error());
  return 0;
}

int Describe(const Context& context, const Options& options) {
  const auto client = LinkClient::Connect(options.address);
  if (!client.ok()) return Report(context, client.error());
  const RobotDescription& robot = client->robot();
  Json channels = Json::array(), actuators = Json::array();
  std::string text =
      fmt::format("robot '{}' at {}: control period {} s, {} clock, watchdog {} s\n", robot.robot,
                  options.address, robot.control_period_s, LinkName(robot.clock), robot.watchdog_s);
  for (const LinkChannel& c : robot.channels) {
    channels.push_back({{"name", c.name}, {"unit", c.unit}});
    text += fmt::format("  channel  {} [{}]\n", c.name, c.unit);
  }
  for (const LinkActuator& a : robot.actuators) {
    actuators.push_back({{"name", a.name}, {"unit", a.unit}, {"low", a.low}, {"high", a.high}});
    text += fmt::format("  actuator {} [{}] {} … {}\n", a.name, a.unit, a.low, a.high);
  }
  return Answer(context,
                {{"robot", robot.robot},
                 {"control_period_s", robot.control_period_s},
                 {"channels", channels},
                 {"actuators", actuators}},
                text);
}

}  // namespace

void AddRobot(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "robot", "The robot link: serve the virtual robot, or ask a robot what it is");
  verb->require_subcommand(1);
  CLI::App* serve = verb->add_subcommand("serve", "Runs the virtual robot with a hidden world");
  serve->add_option("--task", options->task, "Task file: model, rate, limits")->required();
  serve->add_option("--gap", options->gap, "Hidden gap spec; none: the nominal world");
  serve->add_option("--listen", options->address, "unix:/path or tcp:host:port")->required();
  serve->add_option("--name", options->name, "Name of the robot");
  serve->add_option("--watchdog", options->watchdog,
                    "Seconds without a command until it stops itself");
  serve->add_flag("--real-time", options->real_time,
                  "Run on the wall clock instead of in lockstep");
  serve->add_flag("--quiet", options->quiet, "Say nothing");
  AddCommon(*serve, context);
  serve->callback([&context, options] {
    context.run = [&context, options] { return Serve(context, *options); };
  });
  CLI::App* describe =
      verb->add_subcommand("describe", "Prints what the robot at an address says of itself");
  describe->add_option("address", options->address, "unix:/path or tcp:host:port")->required();
  AddCommon(*describe, context);
  describe->callback([&context, options] {
    context.run = [&context, options] { return Describe(context, *options); };
  });
}

}  // namespace realward
