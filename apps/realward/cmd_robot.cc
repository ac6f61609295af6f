// realward robot serve: the virtual robot as a process. realward robot describe: what answers at an
// address.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "deploy/link_client.h"
#include "deploy/robot_fleet.h"
#include "deploy/virtual_robot.h"
#include "verbs.h"

namespace realward {
namespace {

struct Options {
  std::string task, gap, address, name = "virtual-robot";
  std::string faults, units, log, clock;
  double watchdog = 2.0;
  double speed = 1.0;
  bool speed_given = false;
  bool real_time = false, announce_faults = false, quiet = false;
};

Result<LinkClock> ChooseClock(const Options& options) {
  if (options.real_time && options.clock == "virtual")
    return InvalidInput("--real-time is --clock real; it contradicts --clock virtual");
  const bool real = options.real_time || options.clock == "real";
  if (options.speed_given && !real) {
    return InvalidInput(
        "--speed is for --clock real; a virtual clock goes as fast as its client commands");
  }
  if (!(options.speed > 0.0) || !std::isfinite(options.speed))
    return InvalidInput(fmt::format("--speed {} must be above 0", options.speed));
  return real ? LinkClock::kReal : LinkClock::kVirtual;
}

// The world of the robots: what all units share.
struct Fleet {
  TaskSpec task;
  GapSpec hidden;
  VirtualRobotOptions robot;
  std::vector<std::uint32_t> units = {0};
};

Result<Fleet> ReadFleet(const Context& context, const Options& options) {
  Fleet fleet;
  RW_ASSIGN(fleet.robot.clock, ChooseClock(options));
  RW_ASSIGN(fleet.task, LoadTask(options.task));
  fleet.hidden.name = "nominal";
  if (!options.gap.empty()) {
    RW_ASSIGN(fleet.hidden, LoadGap(options.gap));
  }
  if (!options.faults.empty()) {
    RW_ASSIGN(fleet.robot.faults, LoadFaults(options.faults));
  }
  if (!options.units.empty()) {
    RW_ASSIGN(fleet.units, ParseUnits(options.units));
  }
  fleet.robot.seed = context.seed;
  fleet.robot.watchdog = options.watchdog;
  return fleet;
}

Result<FleetRobot> MakeRobot(const Context& context, const Options& options, const Fleet& fleet,
                             std::uint32_t unit) {
  const bool several = fleet.units.size() > 1;
  VirtualRobotOptions robot_options = fleet.robot;
  robot_options.unit = unit;
  robot_options.name = several ? fmt::format("{}-{}", options.name, unit) : options.name;
  const std::string prefix = several ? fmt::format("unit {}: ", unit) : "";
  FleetRobot robot;
  robot.unit = unit;
  RW_ASSIGN(robot.backend, VirtualRobot::Make(fleet.task, fleet.hidden, robot_options));
  if (!options.log.empty()) {
    const std::string folder =
        options.units.empty() ? options.log : fmt::format("{}/unit-{}", options.log, unit);
    const auto complain = [prefix](std::string_view text) {
      fmt::print(stderr, "warning: {}{}\n", prefix, text);
    };
    RW_ASSIGN(robot.log, RobotLog::Open(folder, robot.backend->Describe(), complain));
  }
  std::string address = options.address;
  if (!options.units.empty()) {
    RW_ASSIGN(address, UnitAddress(options.address, unit, several));
  }
  RW_ASSIGN(robot.listener, LinkSocket::Listen(address));
  robot.serve.stop = context.stop;
  robot.serve.speed = options.speed;
  robot.serve.announce_notes = options.announce_faults;
  robot.serve.die = [] { std::_Exit(ExitStatus(ErrorKind::kEnvironment)); };
  if (!options.quiet) {
    robot.serve.log = [prefix](std::string_view line) {
      fmt::print(stderr, "{}{}\n", prefix, line);
    };
  }
  return robot;
}

int Serve(const Context& context, const Options& options) {
  const auto fleet = ReadFleet(context, options);
  if (!fleet.ok()) return Report(context, fleet.error());
  std::vector<FleetRobot> robots;
  for (const std::uint32_t unit : fleet->units) {
    auto robot = MakeRobot(context, options, *fleet, unit);
    if (!robot.ok()) return Report(context, robot.error());
    robots.push_back(std::move(robot).value());
  }
  const Status served = ServeFleet(robots);
  for (const FleetRobot& robot : robots) {
    if (robot.log == nullptr || robot.log->lost() == 0) continue;
    fmt::print(stderr, "warning: {} trials of unit {} were not recorded\n", robot.log->lost(),
               robot.unit);
  }
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
  CLI::App* serve =
      verb->add_subcommand("serve", "Runs virtual robots, each with a hidden world of its own");
  serve->add_option("--task", options->task, "Task file: model, rate, limits")->required();
  serve->add_option("--gap", options->gap, "Hidden gap spec; none: the nominal world");
  serve
      ->add_option("--listen", options->address,
                   "unix:/path or tcp:host:port; {unit} stands for the unit's number")
      ->required();
  serve->add_option("--units", options->units,
                    "Which robots of the hidden fleet, such as 0-3; on TCP unit u listens at "
                    "port + u");
  serve->add_option("--faults", options->faults, "Fault script: what goes wrong in which trial");
  serve->add_flag("--announce-faults", options->announce_faults,
                  "Send the begin and end of a fault as an event");
  serve->add_option("--log", options->log, "Folder for the robot's own recordings");
  serve->add_option("--name", options->name, "Name of the robot");
  serve->add_option("--watchdog", options->watchdog,
                    "Seconds without a command until it stops itself");
  serve
      ->add_option("--clock", options->clock,
                   "virtual: in lockstep, as fast as its client (default); real: on the wall clock")
      ->check(CLI::IsMember({"virtual", "real"}));
  serve->add_option("--speed", options->speed, "Robot time per wall time, for --clock real")
      ->each([options = options.get()](const std::string&) { options->speed_given = true; });
  serve->add_flag("--real-time", options->real_time, "The same as --clock real");
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
