// realward VERB …: exit status 0 done, 1 the answer is no, 2 the input is wrong, 3 the environment
// failed.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "base/mujoco.h"
#include "verbs.h"

namespace realward {
namespace {

std::atomic<bool> stop_requested{false};  // a signal handler can reach nothing else

void OnInterrupt(int) {
  // A second Ctrl-C ends the program at once.
  if (stop_requested.exchange(true)) _exit(ExitStatus(ErrorKind::kInterrupted));
}

std::string OwnPath() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "realward";
}

// MuJoCo's warnings are counted per world and reported by us; its text would tear the progress bar.
void KeepQuiet(const char*) {}

}  // namespace

int Report(const Context& context, const Error& error) {
  fmt::print(stderr, "error: {}\n", error.message);
  if (context.json) {
    const char* kind = error.kind == ErrorKind::kRefused        ? "refused"
                       : error.kind == ErrorKind::kInvalidInput ? "invalid_input"
                       : error.kind == ErrorKind::kInterrupted  ? "interrupted"
                                                                : "environment";
    const Json object = {{"ok", false}, {"error", {{"kind", kind}, {"message", error.message}}}};
    fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return ExitStatus(error.kind);
}

int Answer(const Context& context, const Json& object, const std::string& text) {
  if (context.json) {
    Json whole = object;
    whole["ok"] = true;
    fmt::print("{}\n", whole.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

void AddCommon(CLI::App& verb, Context& context) {
  verb.add_flag("--json", context.json, "One machine-readable object on standard output");
  verb.add_option("--seed", context.seed, "Seed of every random draw")
      ->each([&](const std::string&) { context.seed_given = true; });
  verb.add_option("--threads", context.threads, "Threads; results do not depend on it")
      ->check(CLI::Range(1, 1024));
}

}  // namespace realward

int main(int argc, char** argv) {
  using namespace realward;
  Context context;
  context.stop = &stop_requested;
  context.program = OwnPath();
  context.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  mju_user_warning = KeepQuiet;

  CLI::App app(
      "Takes a robot policy from simulation to the real robot, and what the robot did back.",
      "realward");
  app.set_version_flag("--version",
                       std::string("realward " REALWARD_VERSION ", MuJoCo ") + MujocoVersion());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  for (auto add : {AddCheck, AddWorlds, AddTrain, AddEval, AddCompare, AddFit, AddLogs, AddLoop,
                   AddRobot, AddData, AddNew}) {
    add(app, context);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : ExitStatus(ErrorKind::kInvalidInput);
  }
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return context.run ? context.run() : 0;
}
