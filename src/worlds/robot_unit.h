// One robot of a fleet: its own constants, drawn once, and its operating hours.
#ifndef REALWARD_WORLDS_ROBOT_UNIT_H_
#define REALWARD_WORLDS_ROBOT_UNIT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "spec/gap.h"

namespace realward {

// What a unit keeps from episode to episode: the draws of every parameter that is not drawn anew at
// each episode. An immutable value; ageing gives another one.
struct RobotUnit {
  std::string gap_hash;  // of the spec it was drawn from
  std::uint64_t seed = 1;
  std::uint32_t unit = 0;
  double hours = 0.0;                       // s of operation so far
  std::map<std::string, double> constants;  // by parameter name, SI

  bool operator==(const RobotUnit&) const = default;
};

// The unit that an evaluation or a virtual robot with this seed and unit number has. Its hours are
// those of the spec's operating_hours, 0 without one.
RobotUnit DrawUnit(const GapSpec& gap, std::uint64_t seed, std::uint32_t unit);

// The same robot after more time of operation (s). Error: it would get younger.
Result<RobotUnit> Aged(RobotUnit unit, double hours);

// The spec of worlds with this unit: its constants are fixed, what belongs to an episode is still
// drawn. Error: the unit was drawn from another spec.
Result<GapSpec> WithUnit(const GapSpec& gap, const RobotUnit& unit);

// The spec with its operating hours at a value (s), whatever it said of them.
GapSpec WithHours(const GapSpec& gap, double hours);

Json ToJson(const RobotUnit& unit);
Result<RobotUnit> UnitFromJson(const Json& json);
// One JSON file, replaced whole. Errors name the path and what is wrong.
Status SaveUnit(const RobotUnit& unit, const std::string& path);
Result<RobotUnit> LoadUnit(const std::string& path);

}  // namespace realward

#endif  // REALWARD_WORLDS_ROBOT_UNIT_H_
