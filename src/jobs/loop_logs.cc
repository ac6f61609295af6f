#include "jobs/loop_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "deploy/robot_trials.h"
#include "jobs/robot_process.h"
#include "logs/dataset.h"
#include "logs/prepare.h"
#include "spec/gap.h"
#include "spec/task.h"

namespace realward {
namespace {

namespace fs = std::filesystem;

// How long the virtual robot is recorded when it stands in for a data set.
constexpr double kFallbackSeconds = 10.0;

// Samples with from ≤ t ≤ until, in the log's own time.
Result<Log> Stretch(const Log& log, const LogFile& file) {
  if (file.from == 0.0 && file.until == 0.0) return log;
  Log part = log;
  part.cuts.clear();
  part.lines.clear();
  std::vector<std::size_t> kept;
  const double begin = log.time_s.empty() ? 0.0 : log.time_s.front();
  for (std::size_t i = 0; i < log.samples(); ++i) {
    const double t = log.time_s[i] - begin;
    if (t >= file.from && (file.until == 0.0 || t <= file.until)) kept.push_back(i);
  }
  if (kept.size() < 2) {
    return InvalidInput(fmt::format("{}: fewer than two samples lie between {} s and {} s; the log lasts {:.6g} s",
                                    file.path, file.from, file.until,
                                    log.time_s.empty() ? 0.0 : log.time_s.back() - begin));
  }
  const std::size_t first = kept.front();
  part.time_s.assign(log.time_s.begin() + static_cast<std::ptrdiff_t>(first),
                     log.time_s.begin() + static_cast<std::ptrdiff_t>(kept.back() + 1));
  const auto rows = [&](const Matrix<double>& all) {
    Matrix<double> some(kept.size(), all.cols());
    for (std::size_t r = 0; r < kept.size(); ++r) {
      std::copy(all.row(first + r).begin(), all.row(first + r).end(), some.row(r).begin());
    }
    return some;
  };
  part.values = rows(log.values);
  part.commands = rows(log.commands);
  for (std::size_t cut : log.cuts) {
    if (cut > first && cut <= kept.back()) part.cuts.push_back(cut - first);
  }
  part.hash = HashLog(part);
  return part;
}

void Note(const std::string& file, const std::vector<Finding>& findings, LoopLogs& logs) {
  for (const Finding& finding : findings) {
    std::string what = finding.channel.empty() ? finding.message : finding.channel + ": " + finding.message;
    if (!finding.action.empty()) what += "; " + finding.action;
    logs.findings.push_back({file, finding.severity == Severity::kInfo ? "note" : Name(finding.severity), what, 1});
  }
}

// Reads, checks and cuts one recording.
Result<Log> ReadOne(const std::string& path, const LogFile& file, const Mapping& mapping, LoopLogs& logs) {
  RW_ASSIGN(Log log, ReadLog(path, mapping));
  log.name = fs::path(file.path).filename().string();
  RW_ASSIGN(PreparedLog prepared, PrepareLog(log, CheckOptionsOf(mapping)));
  Note(log.name, prepared.findings, logs);
  Note(log.name, prepared.repairs, logs);
  RW_ASSIGN(std::string hash, HashFile(path));
  logs.items.push_back({"log", log.name, hash});
  return Stretch(prepared.log, file);
}

Status ReadAll(const LogsSpec& spec, const Mapping& mapping, const std::function<std::string(const std::string&)>& place,
               LoopLogs& logs) {
  for (const LogFile& file : spec.fit) {
    RW_ASSIGN(Log log, ReadOne(place(file.path), file, mapping, logs));
    logs.fit.push_back(std::move(log));
  }
  for (const LogFile& file : spec.validate) {
    RW_ASSIGN(Log log, ReadOne(place(file.path), file, mapping, logs));
    logs.validate.push_back(std::move(log));
  }
  return {};
}

// Records the virtual robot: one trial for each log that the loop names.
Result<StageOutput> RecordVirtualRobot(const LogSources& sources, const std::string& folder) {
  const LogsSpec& spec = sources.loop->logs;
  const RobotCommandLine command{sources.program, sources.loop->task_path, spec.fallback_gap_path, spec.fallback_seed,
                                 "virtual-robot"};
  RW_ASSIGN(const RobotProcess process, RobotProcess::Start(command));
  RW_ASSIGN(LinkClient client, process.Connect());
  StageOutput output;
  const std::size_t count = spec.fit.size() + spec.validate.size();
  for (std::size_t i = 0; i < count; ++i) {
    RW_ASSIGN(const RobotRecording recording,
              RecordExcitation(client, static_cast<std::int64_t>(i), spec.fallback_seed, kFallbackSeconds));
    Log log;
    log.name = fmt::format("virtual-{}.csv", i + 1);
    log.time_s = recording.time_s;
    log.channels = recording.channels;
    log.values = recording.values;
    log.actuators = recording.actuators;
    log.commands = recording.commands;
    log.hash = HashLog(log);
    RW_TRY(WriteLog(log, folder + "/" + log.name));
    output.files.push_back(log.name);
    output.files.push_back(fmt::format("virtual-{}.mapping.yaml", i + 1));
  }
  return output;
}

Status GatherVirtual(const LogSources& sources, LoopLogs& logs) {
  const LogsSpec& spec = sources.loop->logs;
  RW_ASSIGN(const TaskSpec task, LoadTask(sources.loop->task_path));
  RW_ASSIGN(const GapSpec hidden, LoadGap(spec.fallback_gap_path));
  const Json inputs = {{"task", HashJson(ToJson(task))}, {"hidden", HashJson(ToJson(hidden))},
                       {"seed", spec.fallback_seed},     {"logs", spec.fit.size() + spec.validate.size()},
                       {"seconds", kFallbackSeconds}};
  RW_ASSIGN(const StageResult result, sources.cache->Run("virtual-logs", inputs, [&](const std::string& folder) {
              return RecordVirtualRobot(sources, folder);
            }));
  for (std::size_t i = 0; i < spec.fit.size() + spec.validate.size(); ++i) {
    const std::string name = fmt::format("virtual-{}", i + 1);
    RW_ASSIGN(const Mapping mapping, LoadMapping(result.folder + "/" + name + ".mapping.yaml"));
    RW_ASSIGN(Log log, ReadOne(result.folder + "/" + name + ".csv", {name + ".csv", 0.0, 0.0}, mapping, logs));
    (i < spec.fit.size() ? logs.fit : logs.validate).push_back(std::move(log));
  }
  return {};
}

}  // namespace

Result<LoopLogs> GatherLogs(const LogSources& sources) {
  const LogsSpec& spec = sources.loop->logs;
  LoopLogs logs;
  if (spec.dataset.empty()) {
    RW_ASSIGN(const Mapping mapping, LoadMapping(spec.mapping_path));
    logs.source.from_hardware = true;
    RW_TRY(ReadAll(spec, mapping, [](const std::string& path) { return path; }, logs));
  } else {
    logs.source.dataset = spec.dataset;
    Result<DatasetFiles> files = GetDataset(spec.dataset, ToDatasetOptions(*sources.places));
    if (files.ok()) {
      logs.source.from_hardware = true;
      logs.source.licence = files->licence;
      RW_ASSIGN(const Mapping mapping, LoadMapping(spec.mapping_path));
      RW_TRY(ReadAll(spec, mapping, [&](const std::string& name) { return files->PathOf(name); }, logs));
    } else if (files.error().kind == ErrorKind::kEnvironment && !spec.fallback_gap_path.empty()) {
      logs.source.because = "the data set is not on this machine";
      RW_TRY(GatherVirtual(sources, logs));
    } else {
      return files.error();
    }
  }
  logs.identity = Json::array();
  for (const std::vector<Log>* list : {&logs.fit, &logs.validate}) {
    Json hashes = Json::array();
    for (const Log& log : *list) hashes.push_back({log.name, log.hash});
    logs.identity.push_back(hashes);
  }
  return logs;
}

}  // namespace realward
