#include "sim/effect.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "sim/environments.h"

namespace realward {
namespace {

// What all worlds did, step by step.
struct Response {
  std::vector<std::string> channels;
  std::size_t state_size = 0;
  int worlds = 0;
  std::vector<double> states;    // steps × worlds × state_size
  std::vector<double> readings;  // steps × worlds × channels
};

constexpr double kHeld = 0.1;  // s

struct Exploration {
  std::uint64_t steps = 1;  // control steps per action
};

void Explore(const void* context, const StreamId& id, std::span<const float>,
             std::span<float> action) {
  StreamId held = id;
  held.step /= static_cast<const Exploration*>(context)->steps;
  Stream stream(held);
  for (float& a : action) a = static_cast<float>(stream.Uniform(-1.0, 1.0));
}

Result<Response> Respond(const TaskSpec& task, const GapSpec& gap, const EffectOptions& options) {
  EnvironmentOptions environment;
  environment.worlds = options.units;
  environment.threads = options.threads;
  environment.seed = options.seed;
  environment.auto_reset = false;
  RW_ASSIGN(const auto env, Environments::Make(task, gap, environment));
  Response response{env->channels(), 0, options.units, {}, {}};
  const Exploration exploration{
      static_cast<std::uint64_t>(std::max(1.0, std::round(kHeld / env->control_period())))};
  const int steps =
      std::max(1, static_cast<int>(std::lround(options.seconds / env->control_period())));
  for (int k = 0; k < steps; ++k) {
    env->Step(&Explore, &exploration);
    for (int w = 0; w < options.units; ++w) {
      const auto qpos = env->qpos(w), qvel = env->qvel(w);
      response.state_size = qpos.size() + qvel.size();
      response.states.insert(response.states.end(), qpos.begin(), qpos.end());
      response.states.insert(response.states.end(), qvel.begin(), qvel.end());
      const auto readings = env->measurements().row(w);
      response.readings.insert(response.readings.end(), readings.begin(), readings.end());
    }
  }
  return response;
}

// The largest RMS difference of a column, and which; −1 when no bit differs.
std::pair<double, int> LargestDifference(const std::vector<double>& a, const std::vector<double>& b,
                                         std::size_t columns) {
  double most = 0.0;
  int which = -1;
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0.0;
    for (std::size_t i = c; i < a.size(); i += columns) sum += (a[i] - b[i]) * (a[i] - b[i]);
    const double rms =
        std::sqrt(sum * static_cast<double>(columns) / static_cast<double>(a.size()));
    if (rms > most) {
      most = rms;
      which = static_cast<int>(c);
    }
  }
  return {most, which};
}

ResponseDifference Difference(const Response& a, const Response& b) {
  ResponseDifference difference;
  difference.state = LargestDifference(a.states, b.states, a.state_size).first;
  const auto [reading, channel] = LargestDifference(a.readings, b.readings, a.channels.size());
  difference.reading = reading;
  if (channel >= 0) difference.channel = a.channels[channel];
  return difference;
}

bool IsCondition(const GapParameter& parameter) {
  return parameter.kind == "operating_hours" || parameter.kind == "ambient_temperature";
}

// The spec with the parameters that `keep` accepts.
template <class Keep>
GapSpec Part(const GapSpec& gap, const Keep& keep) {
  GapSpec part = gap;
  std::erase_if(part.parameters, [&](const GapParameter& p) { return !keep(p); });
  std::erase_if(part.correlations, [&](const CorrelationGroup& group) {
    return !std::all_of(group.parameters.begin(), group.parameters.end(),
                        [&](const std::string& name) {
                          return std::any_of(part.parameters.begin(), part.parameters.end(),
                                             [&](const GapParameter& p) { return p.name == name; });
                        });
  });
  return part;
}

}  // namespace

Result<std::vector<ParameterEffect>> MeasureEffects(const TaskSpec& task, const GapSpec& gap,
                                                    const EffectOptions& options) {
  RW_ASSIGN(const Response all, Respond(task, gap, options));
  RW_ASSIGN(const Response nominal, Respond(task, {}, options));
  RW_ASSIGN(const Response conditions, Respond(task, Part(gap, IsCondition), options));
  std::vector<ParameterEffect> effects;
  for (const GapParameter& parameter : gap.parameters) {
    const bool is_drift = parameter.level == Level::kDrift;
    const auto is_this = [&](const GapParameter& p) {
      return p.name == parameter.name || (is_drift && IsCondition(p));
    };
    const auto is_other = [&](const GapParameter& p) { return p.name != parameter.name; };
    const Result<Response> alone = Respond(task, Part(gap, is_this), options);
    const Result<Response> others = Respond(task, Part(gap, is_other), options);
    ParameterEffect effect{parameter.name, {}, {}};
    if (alone.ok()) effect.alone = Difference(*alone, is_drift ? conditions : nominal);
    if (others.ok()) effect.within = Difference(all, *others);
    effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace realward
