// A recording in SI units: time stamps, measured channels and commands, sample by sample. Made from
// a table and a mapping, or by a program; what is wrong with it is for logs/log_check.h.
#ifndef REALWARD_LOGS_LOG_H_
#define REALWARD_LOGS_LOG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/view.h"
#include "logs/finding.h"
#include "logs/mapping.h"

namespace realward {

// Invariant: time_s, values and commands have one entry (row) per sample. A command acts from its
// sample's time until the next sample's (zero-order hold). NaN: not recorded.
struct Log {
  std::string name;  // file name, or what made it
  std::string hash;  // HashLog
  std::vector<double> time_s;
  std::vector<std::string> channels;   // such as "hinge.position"
  Matrix<double> values;               // samples × channels, SI
  std::vector<std::string> actuators;  // such as "motor"
  Matrix<double> commands;             // samples × actuators, SI
  std::string origin;                  // time stamp, as recorded, that time_s counts from; or empty
  std::vector<std::size_t> lines;      // of the file, of each sample; empty when there is no file
  std::vector<std::size_t> cuts;       // sorted; nothing joins samples i − 1 and i for i in cuts
  std::vector<Finding> reading;        // what reading the file found

  std::size_t samples() const { return time_s.size(); }
};

// Index of a name in a list of names; kNoIndex when it is not there.
std::size_t IndexOf(const std::vector<std::string>& names, const std::string& name);

// SHA-256 of names, time stamps and values (a NaN counts as one value whatever its bits).
std::string HashLog(const Log& log);

// Reads a CSV file. Errors: the table's, the mapping's columns, no usable row. Rows whose fields or
// time stamp cannot be read are left out, the log is cut there and log.reading says so; other cells
// that are no finite number become NaN, one finding per run of rows.
Result<Log> ReadLog(const std::string& path, const Mapping& mapping);
Result<Log> LogFromTable(const CsvTable& table, const Mapping& mapping, const std::string& name);

// The log as CSV: "time", the channels, and "command.NAME" for each actuator, all SI; numbers in
// their shortest round-trip form, NaN as an empty cell.
std::string ToCsv(const Log& log);

// The mapping that reads ToCsv back with the same hash.
Mapping MappingOf(const Log& log);

// Writes PATH and PATH with its extension replaced by ".mapping.yaml", each atomically. Errors:
// names that the form cannot hold, time stamps beyond kFarFromZero (give times from the log's
// start), disk.
Status WriteLog(const Log& log, const std::string& path);

}  // namespace realward

#endif  // REALWARD_LOGS_LOG_H_
