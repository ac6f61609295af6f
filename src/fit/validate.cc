#include "fit/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "fit/segments.h"
#include "logs/segment.h"

namespace realward {
namespace {

constexpr double kScaledStep = 1e-4;  // of a parameter's range, for propagation

std::vector<Segment> WindowsOf(const Shooter& shooter, int log, double length) {
  const std::vector<double>& times = shooter.logs()[log].time_s;
  const double duration = times.back() - times.front();
  if (length >= duration) return CutLog(shooter, log, duration);  // one window for each stretch
  std::vector<Segment> segments;
  for (const LogSegment& stretch : ContinuousStretches(shooter.logs()[log])) {
    const double rest = stretch.end_s - stretch.begin_s;
    const int count = static_cast<int>(std::floor(rest / length + 1e-9));
    for (int k = 0; k < count; ++k)
      segments.push_back(CutWindow(shooter, log, stretch.begin_s + k * length, length));
  }
  return segments;
}

// Simulates the windows and writes predictions (samples × log channels, in model order).
struct Run {
  Matrix<double> predicted;
  std::vector<double> rms;
  int diverged = 0;
};
Result<Run> RunWindows(Shooter& shooter, std::span<const double> values,
                       std::span<const Segment> segments, std::span<const int> channels) {
  const MatrixView<const double> parameters(values.data(), 1, values.size());
  shooter.SetWorlds(parameters);
  std::vector<std::vector<double>> states;
  for (const Segment& segment : segments) {
    states.push_back(GuessState(shooter, segment.log, segment.begin, shooter.channel_settings(0)));
  }
  std::vector<Shot> shots;
  for (std::size_t s = 0; s < segments.size(); ++s) shots.push_back({&segments[s], 0, states[s]});
  ShotResults results;
  RW_TRY(shooter.Simulate(parameters, shots, results));
  const Log& log = shooter.logs()[segments[0].log];
  Run run;
  const std::size_t first = segments.front().first;
  run.predicted = Matrix<double>(segments.back().last - first, channels.size(),
                                 std::numeric_limits<double>::quiet_NaN());
  std::vector<double> sum(channels.size(), 0.0);
  std::vector<std::size_t> samples(channels.size(), 0);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Segment& segment = segments[s];
    if (results.diverged[s] != 0) {
      ++run.diverged;
      continue;
    }
    const auto predicted = results.Predicted(s, segment, shooter.channels().size());
    for (std::size_t k = segment.first; k < segment.last; ++k) {
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const double value = predicted(k - segment.first, channels[c]);
        const double error = value - log.values(k, shooter.column(segment.log, channels[c]));
        run.predicted(k - first, c) = value;
        if (!std::isfinite(error)) continue;  // not recorded
        sum[c] += error * error;
        ++samples[c];
      }
    }
  }
  for (std::size_t c = 0; c < channels.size(); ++c)
    run.rms.push_back(samples[c] > 0 ? std::sqrt(sum[c] / static_cast<double>(samples[c])) : 0.0);
  return run;
}

Result<WindowError> ValidateWindows(Shooter& datasheet, Shooter& fitted,
                                    std::span<const double> values, int log, double length) {
  const Log& data = fitted.logs()[log];
  const std::vector<Segment> segments = WindowsOf(fitted, log, length);
  const double duration = data.time_s.back() - data.time_s.front();
  std::vector<int> channels;
  WindowError error;
  if (segments.empty()) {
    return InvalidInput(
        fmt::format("log {} has no unbroken stretch of {:g} s for validation", data.name, length));
  }
  for (std::size_t c = 0; c < fitted.channels().size(); ++c) {
    if (fitted.column(log, static_cast<int>(c)) < 0) continue;
    channels.push_back(static_cast<int>(c));
    error.channels.push_back(fitted.channels()[c]);
  }
  error.is_whole_run = length >= duration;
  error.window = std::min(length, duration);
  error.windows = static_cast<int>(segments.size());
  RW_ASSIGN(Run plain, RunWindows(datasheet, {}, segments, channels));
  RW_ASSIGN(Run fit, RunWindows(fitted, values, segments, channels));
  const std::size_t first = segments.front().first;
  const std::size_t last = segments.back().last;
  error.time_s.assign(data.time_s.begin() + first, data.time_s.begin() + last);
  error.measured = Matrix<double>(last - first, channels.size());
  for (std::size_t k = first; k < last; ++k) {
    for (std::size_t c = 0; c < channels.size(); ++c)
      error.measured(k - first, c) = data.values(k, fitted.column(log, channels[c]));
  }
  error.datasheet = std::move(plain.predicted);
  error.datasheet_rms = std::move(plain.rms);
  error.datasheet_diverged = plain.diverged;
  error.fitted = std::move(fit.predicted);
  error.fitted_rms = std::move(fit.rms);
  error.fitted_diverged = fit.diverged;
  return error;
}

double GravityTorque(const mjModel& model, mjData* data, int joint, double angle) {
  mj_resetData(&model, data);
  data->qpos[model.jnt_qposadr[joint]] = angle;
  mj_forward(&model, data);
  return data->qfrc_bias[model.jnt_dofadr[joint]];
}

}  // namespace

Result<std::vector<LogValidation>> Validate(const mjModel& model, const GapSpec& gap,
                                            std::span<const double> values,
                                            std::span<const Log> logs,
                                            std::span<const double> windows, int threads) {
  GapSpec none;
  none.name = "datasheet";
  RW_ASSIGN(Shooter datasheet, Shooter::Make(model, none, logs, threads));
  RW_ASSIGN(Shooter fitted, Shooter::Make(model, gap, logs, threads));
  std::vector<LogValidation> validations;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const double duration = logs[log].time_s.back() - logs[log].time_s.front();
    LogValidation validation{logs[log].name, logs[log].hash, {}};
    std::vector<double> done;
    for (double window : windows) {
      const double length = window <= 0.0 ? duration : std::min(window, duration);
      if (std::find(done.begin(), done.end(), length) != done.end()) continue;
      done.push_back(length);
      RW_ASSIGN(WindowError error,
                ValidateWindows(datasheet, fitted, values, static_cast<int>(log), length));
      validation.errors.push_back(std::move(error));
    }
    validations.push_back(std::move(validation));
  }
  return validations;
}

std::vector<JointQuantities> QuantitiesOf(const mjModel& model) {
  const DataPtr data = MakeData(model);
  const std::vector<std::string> names = ObjectNames(model, mjOBJ_JOINT);
  const double g = mju_norm3(model.opt.gravity);
  std::vector<JointQuantities> all;
  for (int j = 0; j < model.njnt; ++j) {
    if (model.jnt_type[j] != mjJNT_HINGE) continue;
    JointQuantities q;
    q.joint = names[j];
    q.inertia = model.dof_M0[model.jnt_dofadr[j]];
    q.gravity_torque = GravityTorque(model, data.get(), j, 0.5 * std::numbers::pi) -
                       GravityTorque(model, data.get(), j, 0.0);
    // Rounding of a joint that gravity does not turn is far below this.
    const bool has_gravity = std::abs(q.gravity_torque) > 1e-9 * g * q.inertia;
    if (!has_gravity) q.gravity_torque = 0.0;
    q.length = has_gravity ? q.inertia * g / q.gravity_torque : 0.0;
    all.push_back(std::move(q));
  }
  return all;
}

Result<std::vector<DerivedQuantity>> Derive(const mjModel& model, const GapSpec& gap,
                                            const Identification& identification) {
  RW_ASSIGN(Shooter shooter, Shooter::Make(model, gap, {}, 1));
  const std::size_t n = identification.parameters.size();
  std::vector<std::size_t> index;  // of each fitted parameter in the gap spec
  for (std::size_t p = 0; p < gap.parameters.size(); ++p) {
    if (gap.parameters[p].bound_low && gap.parameters[p].bound_high) index.push_back(p);
  }
  RW_CHECK(index.size() == n);
  Matrix<double> worlds(1 + 2 * n, gap.parameters.size());
  std::vector<double> distance(n);
  for (std::size_t w = 0; w < worlds.rows(); ++w) {
    std::copy(identification.values.begin(), identification.values.end(), worlds.row(w).begin());
    if (w == 0) continue;
    const std::size_t j = (w - 1) / 2;
    const ParameterEstimate& p = identification.parameters[j];
    const double step = kScaledStep * (p.high - p.low);
    double& value = worlds(w, index[j]);
    value = w % 2 == 1 ? std::min(value + step, p.high) : std::max(value - step, p.low);
    distance[j] += w % 2 == 1 ? value : -value;
  }
  shooter.SetWorlds(worlds.view());
  std::vector<std::vector<JointQuantities>> all;
  for (std::size_t w = 0; w < worlds.rows(); ++w)
    all.push_back(QuantitiesOf(shooter.world_model(static_cast<int>(w))));
  const std::vector<JointQuantities> datasheet = QuantitiesOf(model);
  const auto propagate = [&](std::size_t joint, double JointQuantities::*member) {
    std::vector<double> slope(n);
    for (std::size_t j = 0; j < n; ++j)
      slope[j] = (all[1 + 2 * j][joint].*member - all[2 + 2 * j][joint].*member) / distance[j];
    double variance = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        variance += slope[i] * identification.covariance(i, j) * slope[j];
    }
    return std::sqrt(std::max(0.0, variance));
  };
  std::vector<DerivedQuantity> derived;
  for (std::size_t joint = 0; joint < datasheet.size(); ++joint) {
    DerivedQuantity d{datasheet[joint], all[0][joint], {}};
    d.sd = {datasheet[joint].joint, propagate(joint, &JointQuantities::inertia),
            propagate(joint, &JointQuantities::gravity_torque),
            propagate(joint, &JointQuantities::length)};
    derived.push_back(std::move(d));
  }
  return derived;
}

}  // namespace realward
