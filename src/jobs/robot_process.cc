#include "jobs/robot_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

namespace realward {
namespace {

constexpr double kStartSeconds = 10.0;

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void RunChild(char* const* arguments) {
  setpgid(0, 0);                     // Ctrl-C reaches the loop, which then stops its robot
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a killed loop leaves no robot behind
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

Result<RobotProcess> RobotProcess::Start(const RobotCommandLine& command) {
  RobotProcess process;
  // A socket path may have 107 bytes, so it does not lie in the project's folder.
  std::string pattern = (std::filesystem::temp_directory_path() / "realward-robot-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return EnvironmentError(
        fmt::format("cannot make a folder for the robot's socket: {}", std::strerror(errno)));
  }
  process.folder_ = pattern;
  process.address_ = "unix:" + pattern + "/link";
  std::vector<std::string> words = {
      command.program,  "robot",           "serve",
      "--task",         command.task_path, "--listen",
      process.address_, "--seed",          std::to_string(command.seed),
      "--name",         command.name,      "--quiet"};
  if (!command.gap_path.empty()) words.insert(words.end(), {"--gap", command.gap_path});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  process.pid_ = fork();
  if (process.pid_ < 0)
    return EnvironmentError(fmt::format("cannot start the robot: {}", std::strerror(errno)));
  if (process.pid_ == 0) RunChild(arguments.data());
  return process;
}

RobotProcess::RobotProcess(RobotProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      folder_(std::move(other.folder_)),
      address_(std::move(other.address_)) {
  other.folder_.clear();
}

RobotProcess::~RobotProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    for (int tenths = 0; tenths < 10 && waitpid(pid_, nullptr, WNOHANG) == 0; ++tenths) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (tenths == 9) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
      }
    }
  }
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<LinkClient> RobotProcess::Connect() const {
  LinkClientOptions options;
  options.connect_timeout_s = 0.5;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kStartSeconds);
  for (;;) {
    siginfo_t info{};
    // WNOWAIT: the destructor still collects the child.
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_) {
      return EnvironmentError(fmt::format("the virtual robot's process has ended ({} {})",
                                          info.si_code == CLD_EXITED ? "exit status" : "signal",
                                          info.si_status));
    }
    Result<LinkClient> client = LinkClient::Connect(address_, options);
    if (client.ok() || std::chrono::steady_clock::now() > end) return client;
  }
}

}  // namespace realward
