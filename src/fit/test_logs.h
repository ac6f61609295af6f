// Logs for tests: recordings on disk, if they are there, and logs made by plain simulation.
#ifndef REALWARD_FIT_TEST_LOGS_H_
#define REALWARD_FIT_TEST_LOGS_H_

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/mujoco.h"
#include "base/random.h"
#include "logs/log.h"

namespace realward::testing {

inline std::string SourcePath(const std::string& path) {
  return std::string(RW_SOURCE_DIR) + "/" + path;
}

// Keeps the engine's warnings off the terminal while a test makes simulations diverge.
class QuietMujoco {
 public:
  QuietMujoco() : before_(mju_user_warning) {
    mju_user_warning = [](const char*) {};
  }
  ~QuietMujoco() { mju_user_warning = before_; }
  QuietMujoco(const QuietMujoco&) = delete;
  QuietMujoco& operator=(const QuietMujoco&) = delete;

 private:
  void (*before_)(const char*);
};

// The mirror of recorded data beside the checkout, "" if there is none.
inline std::string DataFolder() {
  const std::string path = SourcePath("../shared/data");
  return std::filesystem::exists(path) ? path + "/" : "";
}

// A numeric CSV with a header. columns: index of time, then of each channel; command: its column.
// Rows with an unreadable command take the one before (the last row of some recordings has none).
inline Log ReadRecording(const std::string& path, const std::vector<int>& columns,
                         const std::vector<std::string>& channels, int command, double until) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(file, line)) {
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      row.push_back(end == cell.c_str() ? std::nan("") : value);
    }
    if (row[columns[0]] > until) break;
    const bool has_command = command < static_cast<int>(row.size()) && std::isfinite(row[command]);
    if (!has_command) {
      row.resize(std::max<std::size_t>(row.size(), command + 1));
      row[command] = rows.back()[command];
    }
    rows.push_back(row);
  }
  Log log;
  log.name = std::filesystem::path(path).stem();
  log.channels = channels;
  log.actuators = {"motor"};
  log.values = Matrix<double>(rows.size(), channels.size());
  log.commands = Matrix<double>(rows.size(), 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    log.time_s.push_back(rows[k][columns[0]]);
    for (std::size_t c = 0; c < channels.size(); ++c) log.values(k, c) = rows[k][columns[c + 1]];
    log.commands(k, 0) = rows[k][command];
  }
  return log;
}

inline Log PendulumRecording(const std::string& name, double until = 1e9) {
  return ReadRecording(DataFolder() + "dfki_pendulums/simple/" + name + ".csv", {0, 1, 2},
                       {"hinge.position", "hinge.velocity"}, 3, until);
}

// Positions only: the logged rates are filtered and late.
inline Log FurutaRecording(const std::string& path) {
  return ReadRecording(DataFolder() + "quanser_tud/qube/" + path, {0, 1, 2},
                       {"arm.position", "pendulum.position"}, 6, 1e9);
}

// What a simulated robot did: plain mj_step on a model whose parameters are already set. Commands
// are held for `period` and act `delay_steps` physics steps later; channels are sampled every
// period with white noise.
struct Recipe {
  double duration = 4.0;
  double period = 0.01;
  int delay_steps = 0;
  double offset = 0.0;  // added to the command
  double position_noise = 0.0;
  double velocity_noise = 0.0;
  std::uint64_t seed = 1;
  std::function<double(double)> command;
  double position = 0.0;  // of every joint, at the start
};
inline Log SimulatedLog(const mjModel& model, const Recipe& recipe) {
  DataPtr data = MakeData(model);
  for (int i = 0; i < model.nq; ++i) data->qpos[i] = recipe.position;
  const double h = model.opt.timestep;
  const int held = static_cast<int>(std::lround(recipe.period / h));
  const int samples = static_cast<int>(std::lround(recipe.duration / recipe.period)) + 1;
  Stream noise({.seed = recipe.seed});
  Log log;
  log.name = "simulated";
  log.hash = "simulated-" + std::to_string(recipe.seed);
  for (int j = 0; j < model.njnt; ++j) {
    const std::string joint = mj_id2name(&model, mjOBJ_JOINT, j);
    log.channels.push_back(joint + ".position");
    log.channels.push_back(joint + ".velocity");
  }
  log.actuators = {"motor"};
  log.values = Matrix<double>(samples, log.channels.size());
  log.commands = Matrix<double>(samples, 1);
  for (int step = 0, sample = 0; sample < samples; ++step) {
    if (step % held == 0) {
      log.time_s.push_back(step * h);
      for (int i = 0; i < model.nv; ++i) {
        log.values(sample, 2 * i) = data->qpos[i] + recipe.position_noise * noise.Normal();
        log.values(sample, 2 * i + 1) = data->qvel[i] + recipe.velocity_noise * noise.Normal();
      }
      log.commands(sample, 0) = recipe.command(step * h);
      ++sample;
    }
    const int source = std::max(0, step - recipe.delay_steps) / held;
    data->ctrl[0] = log.commands(source, 0) + recipe.offset;
    mj_step(&model, data.get());
  }
  return log;
}

}  // namespace realward::testing

#endif  // REALWARD_FIT_TEST_LOGS_H_
