// Several robots served by one process, each on a thread of its own.
#ifndef REALWARD_DEPLOY_ROBOT_FLEET_H_
#define REALWARD_DEPLOY_ROBOT_FLEET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/link_server.h"

namespace realward {

// "3", "0-3" or "0,2,5-7", ascending. Errors (invalid input): text that is neither, a reversed
// range, a unit that stands twice, more than 256 units.
Result<std::vector<std::uint32_t>> ParseUnits(std::string_view text);

// Where a unit listens: "{unit}" in the pattern is replaced by its number; without it a TCP port is
// base + unit (0 stays 0). Errors (invalid input): a Unix path without "{unit}" for `several`
// units, a port beyond 65535, no address.
Result<std::string> UnitAddress(std::string_view pattern, std::uint32_t unit, bool several);

struct FleetRobot {
  std::uint32_t unit = 0;
  std::unique_ptr<RobotBackend> backend;
  LinkSocket listener;
  std::unique_ptr<RobotLog> log;  // null: none
  ServeOptions serve;             // its recorder is set to `log`
};

// Serves all of them until their stop flags are set. A robot that fails leaves the others running;
// the error of the lowest such unit is given at the end.
Status ServeFleet(std::vector<FleetRobot>& robots);

}  // namespace realward

#endif  // REALWARD_DEPLOY_ROBOT_FLEET_H_
