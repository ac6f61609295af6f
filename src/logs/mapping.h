// Which column of a table is which channel, in which unit: the file mapping.yaml.
//
//   mapping: dfki-simple
//   time: {column: time, unit: s}
//   channels:
//     - {channel: hinge.position, column: position, unit: rad}
//     - {channel: hinge.velocity, column: velocity, unit: rad/s, scale: -1}
//   commands:
//     - {actuator: motor, column: torque, unit: N*m}
//
// A channel is NAME.position, NAME.velocity, NAME.acceleration, NAME.torque, NAME.force or any
// other name; the unit's dimension must fit. Optional per column: `scale` (a factor, such as −1 for
// a sensor mounted the other way), `offset` (added after the scale, in the column's unit) and
// `many_turns: true` (an angle that is expected to pass 20 turns). Optional at the top: `csv:
// {separator: ";", decimal:
// ","}`, and for the time `counter_bits` of an integer counter that wraps.
#ifndef REALWARD_LOGS_MAPPING_H_
#define REALWARD_LOGS_MAPPING_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "logs/csv.h"

namespace realward {

// One column. A value in SI is (cell · scale + offset) · unit.factor.
struct ColumnMap {
  std::string name;    // of the channel or actuator
  std::string column;  // in the table's header, without its unit
  Unit unit;           // the unit "SI" (any dimension, factor 1) says that values are SI already
  double scale = 1.0;
  double offset = 0.0;
  bool many_turns = false;
  int line = 0;  // in the mapping file; 0 when made by a program
};

struct Mapping {
  std::string name;
  std::string file;  // for messages
  ColumnMap time;
  int counter_bits = 0;  // 0: the time is no counter of known width
  std::vector<ColumnMap> channels;
  std::vector<ColumnMap> commands;
  CsvOptions csv;
};

// Reads a mapping strictly. Errors (invalid input) name file, line, key, value and the nearest
// valid.
Result<Mapping> LoadMapping(const std::string& path);
Result<Mapping> ParseMapping(const std::string& text, const std::string& file);

// The mapping as text that ParseMapping reads back.
std::string ToYaml(const Mapping& mapping);

// Where each mapped column is in a table.
struct ColumnPlaces {
  std::size_t time = 0;
  std::vector<std::size_t> channels;
  std::vector<std::size_t> commands;
};

// Finds the mapped columns. Errors: a column that the table does not have (with the nearest ones),
// and a unit in the header that contradicts the mapping's.
Result<ColumnPlaces> FindColumns(const Mapping& mapping, const CsvTable& table);

}  // namespace realward

#endif  // REALWARD_LOGS_MAPPING_H_
