// The virtual robot as a child process, reached only through the robot link.
#ifndef REALWARD_JOBS_ROBOT_PROCESS_H_
#define REALWARD_JOBS_ROBOT_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "deploy/link_client.h"

namespace realward {

struct RobotCommandLine {
  std::string program;  // path of `realward`
  std::string task_path;
  std::string gap_path;  // hidden world
  std::uint64_t seed = 1;
  std::string name = "virtual-robot";
};

// Starts the process and ends it (SIGTERM, then SIGKILL after a second) when the object goes.
class RobotProcess {
 public:
  static Result<RobotProcess> Start(const RobotCommandLine& command);
  ~RobotProcess();
  RobotProcess(RobotProcess&& other) noexcept;
  RobotProcess& operator=(RobotProcess&&) = delete;

  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }
  // Connects; a robot that is still starting is waited for. If the process has ended the error says
  // how.
  Result<LinkClient> Connect() const;

 private:
  RobotProcess() = default;
  pid_t pid_ = -1;
  std::string folder_;  // holds the socket
  std::string address_;
};

}  // namespace realward

#endif  // REALWARD_JOBS_ROBOT_PROCESS_H_
