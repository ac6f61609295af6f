#include "deploy/robot_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/units.h"
#include "deploy/link_fast.h"

namespace realward {
namespace {

// A column of the table: its name and unit in the header, and its line of the mapping.
struct Column {
  std::string name;
  std::string unit;  // empty: SI, whatever it is
  std::string item;  // of the mapping, such as "channel: \"hinge.position\""
};

std::string YamlText(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string HeaderCell(const Column& column) {
  const std::string text =
      column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

Status CheckColumn(const Column& column, std::string_view what, std::set<std::string>& names) {
  const std::string shown = PrintableExcerpt(column.name);
  const bool control = std::any_of(column.name.begin(), column.name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (control || column.name.front() == ' ' || column.name.back() == ' ' ||
      column.name.back() == ']' || column.name.back() == ')') {
    return InvalidInput(fmt::format(
        "{} '{}': a table cannot hold this name; leave out control characters, blanks around it "
        "and a bracket at its end",
        what, shown));
  }
  if (!names.insert(column.name).second)
    return InvalidInput(fmt::format("{}: two columns would be named '{}'", what, shown));
  if (column.unit.empty()) return {};
  const auto unit = ParseUnit(column.unit);
  if (unit.ok()) return {};
  return InvalidInput(fmt::format("{} '{}': {}", what, shown, unit.error().message));
}

std::string MappingLine(const Column& column) {
  return fmt::format("  - {{{}, column: {}, unit: {}}}\n", column.item, YamlText(column.name),
                     YamlText(column.unit.empty() ? "SI" : column.unit));
}

// Appends whole lines or nothing.
Status AppendFile(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  struct stat before {};
  bool good = file >= 0 && ::fstat(file, &before) == 0;
  std::string_view rest = text;
  while (good && !rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (good) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const int code = errno;
  if (file >= 0 && !good && ::ftruncate(file, before.st_size) != 0) ::unlink(path.c_str());
  if (file >= 0) ::close(file);
  if (good) return {};
  return EnvironmentError(fmt::format("cannot append to {}: {}", path, std::strerror(code)));
}

}  // namespace

RobotLog::RobotLog(std::string folder, std::size_t actuators, std::string header,
                   Complaint complain)
    : folder_(std::move(folder)),
      actuators_(actuators),
      header_(std::move(header)),
      complain_(std::move(complain)) {}

Result<std::unique_ptr<RobotLog>> RobotLog::Open(const std::string& folder,
                                                 const RobotDescription& robot,
                                                 Complaint complain) {
  RW_TRY(CheckDescription(robot));
  std::set<std::string> names = {"time"};
  std::string header = "time [s]";
  std::string mapping = fmt::format("mapping: {}\ntime: {{column: time, unit: s}}\nchannels:\n",
                                    YamlText(robot.robot));
  for (const LinkChannel& channel : robot.channels) {
    const Column column{channel.name, channel.unit,
                        fmt::format("channel: {}", YamlText(channel.name))};
    RW_TRY(CheckColumn(column, "channel", names));
    header += fmt::format(",{}", HeaderCell(column));
    mapping += MappingLine(column);
  }
  if (!robot.actuators.empty()) mapping += "commands:\n";
  for (const LinkActuator& actuator : robot.actuators) {
    const Column column{fmt::format("command.{}", actuator.name), actuator.unit,
                        fmt::format("actuator: {}", YamlText(actuator.name))};
    RW_TRY(CheckColumn(column, "actuator", names));
    header += fmt::format(",{}", HeaderCell(column));
    mapping += MappingLine(column);
  }
  mapping += "csv: {separator: \",\", decimal: \".\"}\n";
  RW_TRY(MakeFolders(folder));
  const std::string path = folder + "/mapping.yaml";
  if (std::filesystem::exists(path)) {
    RW_ASSIGN(const std::string there, ReadFile(path));
    if (there != mapping) {
      return InvalidInput(fmt::format(
          "{} holds the log of another robot: its mapping.yaml is not that of '{}'; give another "
          "folder",
          folder, PrintableExcerpt(robot.robot)));
    }
  }
  RW_TRY(WriteFileAtomic(path, mapping));
  return std::unique_ptr<RobotLog>(
      new RobotLog(folder, robot.actuators.size(), header + "\n", std::move(complain)));
}

std::string RobotLog::FreeName(std::int64_t trial, bool partial) const {
  const auto name = [&](int run, bool cut) {
    return fmt::format("trial_{:06}{}{}.csv", trial, run > 1 ? fmt::format("_run{}", run) : "",
                       cut ? ".partial" : "");
  };
  for (int run = 1;; ++run) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder_ + "/" + name(run, false), ignored) &&
        !std::filesystem::exists(folder_ + "/" + name(run, true), ignored))
      return name(run, partial);
  }
}

void RobotLog::AppendRow(double t_s, std::span<const double> values) {
  AppendNumber(rows_, t_s);
  for (const double value : values) {
    rows_ += ',';
    if (std::isfinite(value)) AppendNumber(rows_, value);
  }
}

void RobotLog::Begin(std::int64_t trial, std::span<const double> values) {
  trial_ = trial;
  rows_ = header_;
  AppendRow(0.0, values);
}

void RobotLog::Add(std::span<const double> command, double t_s, std::span<const double> values) {
  for (const double u : command) {
    rows_ += ',';
    AppendNumber(rows_, u);
  }
  rows_ += '\n';
  AppendRow(t_s, values);
}

void RobotLog::AppendLine(const Json& event) {
  events_ += event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void RobotLog::Note(std::string_view kind, std::int64_t seq, double t_s, std::string_view message) {
  AppendLine({{"trial", trial_}, {"seq", seq}, {"t_s", t_s}, {"kind", kind}, {"message", message}});
}

void RobotLog::End(const TrialResult& result, std::string_view aborted, std::int64_t overruns) {
  if (rows_.empty()) return;
  rows_.append(actuators_, ',').append("\n");  // no command acts after the last state
  const std::string name = FreeName(trial_, !aborted.empty());
  const Status written = WriteFileAtomic(folder_ + "/" + name, rows_);
  rows_.clear();
  Json line = {
      {"trial", trial_},       {"kind", "trial_ends"},        {"end", LinkName(result.end)},
      {"steps", result.steps}, {"success", nullptr},          {"return", nullptr},
      {"overruns", overruns},  {"partial", !aborted.empty()}, {"message", aborted},
      {"file", nullptr}};
  if (result.success) line["success"] = *result.success;
  if (result.total_return) line["return"] = *result.total_return;
  if (written.ok()) line["file"] = name;
  AppendLine(line);
  const Status appended = AppendFile(folder_ + "/events.jsonl", std::exchange(events_, {}));
  if (!written.ok()) return Lose(written.error());
  if (!appended.ok()) Lose(appended.error());
}

void RobotLog::Lose(const Error& error) {
  if (lost_++ > 0 || !complain_) return;
  complain_(fmt::format("trial {} is not recorded: {}; trials go on, further losses are counted",
                        trial_, error.message));
}

}  // namespace realward
