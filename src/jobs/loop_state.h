// What the stages of a loop have given so far: plain values that the report is made from.
#ifndef REALWARD_JOBS_LOOP_STATE_H_
#define REALWARD_JOBS_LOOP_STATE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/policy.h"
#include "deploy/robot_trials.h"
#include "evaluate/suite.h"
#include "jobs/loop_logs.h"
#include "spec/gap.h"
#include "spec/loop.h"
#include "spec/task.h"
#include "train/trainer.h"

namespace realward {

struct PolicyRun {
  std::string name;
  std::string trained_on;  // in words
  PolicyArtifact policy;
  std::string hash;
  std::vector<CurvePoint> curve;
  std::map<std::string, std::vector<EpisodeSummary>> suites;
  std::vector<RobotTrial> trials;  // empty without a robot
};

struct LoopState {
  LoopSpec loop;
  TaskSpec task;
  LoopLogs logs;
  std::optional<ReportFit> fit;
  std::optional<GapSpec> posterior;
  std::vector<PolicyRun> policies;
  std::optional<GapDecomposition> decomposition;
  std::string decomposed_policy;
  std::vector<ReportItem> stages;  // each with its content hash
};

// JSON forms of what stages keep, and back.
Json ToJson(const EpisodeSummary& episode);
Json ToJson(const RobotTrial& trial);
Result<std::vector<EpisodeSummary>> EpisodesFromJson(const Json& json);
Result<std::vector<RobotTrial>> TrialsFromJson(const Json& json);
Json ToJson(const GapDecomposition& decomposition);
Result<GapDecomposition> DecompositionFromJson(const Json& json);

}  // namespace realward

#endif  // REALWARD_JOBS_LOOP_STATE_H_
