#include "fit/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/units.h"
#include "fit/segments.h"
#include "fit/solve.h"

namespace realward {
namespace {

constexpr double kVelocityPerPositionDefect = 20.0;  // 1/s
constexpr double kNormal95 = 1.959963984540054;

Result<Weights> MakeWeights(const Shooter& shooter, const FitSpec& options) {
  Weights weights;
  double largest_position = 0.0;
  bool is_any_used = false;
  for (std::size_t log = 0; log < shooter.logs().size(); ++log) {
    std::vector<double> sigma = ChannelSigmas(shooter, static_cast<int>(log));
    for (std::size_t c = 0; c < sigma.size(); ++c) {
      if (sigma[c] == 0.0) continue;
      const double given = c % 2 == 0 ? options.position_noise : options.velocity_noise;
      if (given > 0.0) sigma[c] = given;
      if (!std::isfinite(sigma[c])) continue;
      is_any_used = true;
      if (c % 2 == 0) largest_position = std::max(largest_position, sigma[c]);
    }
    weights.sigma.push_back(std::move(sigma));
  }
  if (!is_any_used) {
    return InvalidInput("every channel is left out (infinite noise), so there is nothing to fit");
  }
  weights.position_defect = options.position_defect > 0.0 ? options.position_defect
                            : largest_position > 0.0      ? largest_position
                                                          : 0.01;
  weights.velocity_defect = options.velocity_defect > 0.0
                                ? options.velocity_defect
                                : kVelocityPerPositionDefect * weights.position_defect;
  weights.huber = options.huber;
  return weights;
}

std::string UnitName(const GapParameter& parameter) {
  if (parameter.operation == Operation::kScale) return "1";
  const GapKind* kind = FindGapKind(parameter.kind);
  return kind == nullptr || kind->dimension.empty() ? "" : SiUnit(kind->dimension);
}

std::vector<double> StartPoint(const ShootingProblem& problem, std::uint64_t seed, int start) {
  std::vector<double> scaled = problem.ScaledStart();
  if (start == 0) return scaled;
  Stream stream(
      {.seed = seed, .purpose = Purpose::kFitStart, .episode = static_cast<std::uint64_t>(start)});
  for (double& x : scaled) x = stream.Uniform();
  return scaled;
}

void FillParameters(const ShootingProblem& problem, const GapSpec& gap,
                    std::span<const double> scaled, const Uncertainty& uncertainty,
                    Identification& result) {
  const std::vector<double> start = problem.ScaledStart();
  const std::size_t n = problem.fitted().size();
  result.covariance = Matrix<double>(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    const GapParameter& parameter = gap.parameters[problem.fitted()[j]];
    const double range = problem.Range(static_cast<int>(j));
    ParameterEstimate p;
    p.name = parameter.name;
    p.kind = parameter.kind;
    p.unit = UnitName(parameter);
    p.low = *parameter.bound_low;
    p.high = *parameter.bound_high;
    p.start = Centre(parameter.distribution);
    p.estimate = uncertainty.bound[j] == BoundState::kAtLow    ? p.low
                 : uncertainty.bound[j] == BoundState::kAtHigh ? p.high
                                                               : p.low + scaled[j] * range;
    p.sd = uncertainty.sd[j] * range;
    p.interval_low = std::max(p.low, p.estimate - kNormal95 * p.sd);
    p.interval_high = std::min(p.high, p.estimate + kNormal95 * p.sd);
    p.bound = uncertainty.bound[j];
    p.determined = uncertainty.determined[j];
    result.excited |= p.determined;
    result.parameters.push_back(std::move(p));
    for (std::size_t i = 0; i < n; ++i) {
      result.covariance(i, j) =
          uncertainty.covariance(i, j) * range * problem.Range(static_cast<int>(i));
    }
  }
}

// RMS of predicted − measured of each log and channel at the optimum.
Status FillChannels(ShootingProblem& problem, std::span<const double> full,
                    const Matrix<double>& states, Identification& result) {
  Shooter& shooter = problem.shooter();
  std::vector<Shot> shots;
  for (std::size_t s = 0; s < problem.segments().size(); ++s)
    shots.push_back({&problem.segments()[s], 0, states.row(s)});
  ShotResults shot_results;
  RW_TRY(shooter.Simulate({full.data(), 1, full.size()}, shots, shot_results));
  for (std::size_t log = 0; log < shooter.logs().size(); ++log) {
    const Log& data = shooter.logs()[log];
    for (std::size_t c = 0; c < shooter.channels().size(); ++c) {
      const int column = shooter.column(static_cast<int>(log), static_cast<int>(c));
      if (column < 0) continue;
      double sum = 0.0;
      std::size_t count = 0;
      for (std::size_t s = 0; s < shots.size(); ++s) {
        const Segment& segment = *shots[s].segment;
        if (segment.log != static_cast<int>(log)) continue;
        const auto predicted = shot_results.Predicted(s, segment, shooter.channels().size());
        for (std::size_t k = segment.first; k < segment.last; ++k) {
          const double error = predicted(k - segment.first, c) - data.values(k, column);
          if (!std::isfinite(error)) continue;  // not recorded
          sum += error * error;
          ++count;
        }
      }
      result.channels.push_back({data.name, shooter.channels()[c], problem.weights().sigma[log][c],
                                 count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0.0});
    }
  }
  return {};
}

Result<Solution> SolveFromAll(ShootingProblem& problem, const IdentifyInput& input,
                              const std::atomic<bool>& stop, const FitCallback& progress,
                              Identification& result) {
  Solution best;
  const int starts = std::max(1, input.options.starts);
  for (int start = 0; start < starts; ++start) {
    const FitProgress place{
        .start = start, .starts = starts, .max_iterations = input.options.max_iterations};
    RW_ASSIGN(Solution solution,
              Solve(problem, StartPoint(problem, input.seed, start), place, stop, progress));
    result.start_costs.push_back(solution.cost);
    result.iterations += solution.iterations;
    result.diverged += solution.diverged;
    if (start == 0 || solution.cost < best.cost) best = std::move(solution);
  }
  return best;
}

}  // namespace

Result<Identification> Identify(const IdentifyInput& input, const std::atomic<bool>& stop,
                                const FitCallback& progress) {
  RW_ASSIGN(Shooter shooter, Shooter::Make(*input.model, input.gap, input.logs, input.threads));
  RW_ASSIGN(Weights weights, MakeWeights(shooter, input.options));
  ShootingProblem problem(shooter, std::move(weights), input.options.segment);
  if (problem.fitted().empty()) {
    return InvalidInput(
        fmt::format("gap spec {} has no parameter with bounds, so there is nothing "
                    "to fit; add 'bounds: [low, high]' to a parameter",
                    input.gap.name));
  }
  if (problem.segments().empty()) {
    return InvalidInput(
        fmt::format("no log has an unbroken stretch of {} samples, so there is "
                    "nothing to fit",
                    kLeastSamples));
  }
  Identification result;
  RW_ASSIGN(Solution solution, SolveFromAll(problem, input, stop, progress, result));
  Evaluation evaluation;
  RW_TRY(
      problem.Evaluate(solution.scaled, solution.states.view(), Derivatives::kCentral, evaluation));
  std::vector<std::string> names;
  for (int index : problem.fitted()) names.push_back(input.gap.parameters[index].name);
  Uncertainty uncertainty = Assess(problem, solution.scaled, evaluation, names);
  const bool excited = std::any_of(uncertainty.determined.begin(), uncertainty.determined.end(),
                                   [](bool determined) { return determined; });
  if (!excited) {  // where the noise drew it is no estimate
    solution.scaled = problem.ScaledStart();
    std::fill(uncertainty.bound.begin(), uncertainty.bound.end(), BoundState::kInside);
  }
  FillParameters(problem, input.gap, solution.scaled, uncertainty, result);
  result.values = problem.FullParameters(solution.scaled);
  RW_TRY(FillChannels(problem, result.values, solution.states, result));
  result.undetermined = uncertainty.undetermined;
  result.cost = evaluation.Cost();
  result.dispersion = uncertainty.dispersion;
  result.clusters = uncertainty.clusters;
  result.segments = static_cast<int>(problem.segments().size());
  for (std::size_t s = 0; s < problem.segments().size(); ++s)
    result.residuals += problem.MeasurementRows(s);
  result.converged = solution.converged;
  return result;
}

}  // namespace realward
