// For tests only: a report with every part filled, from a small pendulum simulated here.
#ifndef REALWARD_JOBS_REPORT_SAMPLE_H_
#define REALWARD_JOBS_REPORT_SAMPLE_H_

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "jobs/html_report.h"

namespace realward {

// Angle of a damped, driven pendulum every 2 ms; `wrong` moves its parameters away from the
// recording's.
inline std::vector<double> SamplePendulum(double wrong, int n) {
  std::vector<double> angle;
  double q = 0.1, v = 0.0;
  for (int i = 0; i < n; ++i) {
    const double t = 0.002 * i;
    const double drive = 9.0 * std::sin(1.1 * t * t) * (t < 6 ? 1 : 0.4);
    v += 0.002 * (drive - 19.6 * (1 + wrong) * std::sin(q) - (0.35 - wrong) * v);
    q += 0.002 * v;
    angle.push_back(q);
  }
  return angle;
}

inline ReportFit SampleFit() {
  ReportFit fit;
  fit.method = "Multiple shooting least squares over 0.5 s segments, Huber loss at 3 sigma.";
  fit.outcome = "Converged after 14 iterations on 11 842 residuals of 2 recordings.";
  const int n = 5000;
  for (const char* recording : {"energy_shaping", "tvlqr"}) {
    ReportOverlay overlay;
    overlay.recording = recording;
    overlay.quantity = "angle";
    overlay.unit = "rad";
    overlay.held_out = std::string(recording) == "energy_shaping";
    for (int i = 0; i < n; ++i) overlay.time.push_back(0.002 * i);
    overlay.recorded = SamplePendulum(0.0, n);
    overlay.fitted = SamplePendulum(0.004, n);
    overlay.datasheet = SamplePendulum(0.09, n);
    for (int i = 2100; i < 2200; ++i) overlay.recorded[i] = kUndefined;  // a gap in the log
    fit.overlays.push_back(overlay);
  }
  fit.residuals = {{"energy_shaping", "angle", "rad", true, 0.4127, 0.0613},
                   {"energy_shaping", "velocity", "rad/s", true, 1.873, 0.3391},
                   {"tvlqr", "angle", "rad", false, 0.3318, 0.0282}};
  const auto normal = [](double mean, double sd) {
    return ReportDensity{DensityKind::kNormal, mean, sd, {}, {}, {}};
  };
  const auto uniform = [](double a, double b) {
    return ReportDensity{DensityKind::kUniform, a, b, {}, {}, {}};
  };
  const auto parameter = [&](std::string name, std::string meaning, std::string unit,
                             double nominal, double mean, double sd, double low, double high) {
    ReportParameter p;
    p.name = std::move(name);
    p.meaning = std::move(meaning);
    p.unit = std::move(unit);
    p.nominal = nominal;
    p.fitted = {mean, mean - 1.96 * sd, mean + 1.96 * sd, ""};
    p.bound_low = low;
    p.bound_high = high;
    p.prior = uniform(low, high);
    p.posterior = normal(mean, sd);
    p.posterior.low = low;
    p.posterior.high = high;
    fit.parameters.push_back(p);
  };
  parameter("inertia", "about the pivot", "kg·m²", 0.1365, 0.15326, 0.0011, 0.08, 0.22);
  parameter("mass × centre", "gravity torque over g", "kg·m", 0.273, 0.2981, 0.0017, 0.2, 0.4);
  parameter("viscous friction", "at the joint", "N·m·s/rad", 0.0, 0.0413, 0.0034, 0.0, 0.1);
  parameter("Coulomb friction", "at the joint", "N·m", 0.0, 0.0938, 0.0071, 0.0, 0.2);
  parameter("torque offset", "of the drive", "N·m", 0.0, 0.0042, 0.021, -0.05, 0.05);
  parameter("command delay", "from command to torque", "s", 0.0, 2.1e-5, 9.2e-6, 0.0, 0.03);
  fit.parameters[4].undetermined = true;
  fit.parameters[5].on_low_bound = true;
  fit.parameters[0].truth = 0.1519;
  fit.derived = {
      {"length implied by inertia / (mass × centre)", "m", {0.5141, 0.5093, 0.5189, ""}, 0.5}};
  for (const ReportParameter& p : fit.parameters) fit.correlation_names.push_back(p.name);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      fit.correlation.push_back(i == j        ? 1.0
                                : (i + j) % 2 ? -0.87 / (1 + i + j)
                                              : 0.93 / (std::abs(i - j)));
    }
  }
  return fit;
}

inline void AddSampleScores(LoopReport& report) {
  const auto score = [&](const char* policy, const char* suite, int wins, int diverged, double low,
                         double high, double mean) {
    report.scores.push_back({policy,
                             suite,
                             200,
                             wins,
                             diverged,
                             {wins / 200.0, low, high, ""},
                             {mean, mean - 11.3, mean + 9.7, ""}});
  };
  score("nominal", "nominal world", 200, 0, 0.981, 1.0, 812.4);
  score("nominal", "around the fit", 171, 0, 0.799, 0.897, 701.2);
  score("nominal", "wide gap", 97, 3, 0.417, 0.554, 455.8);
  score("wide", "nominal world", 196, 0, 0.950, 0.992, 744.0);
  score("wide", "around the fit", 192, 0, 0.923, 0.980, 738.6);
  score("wide", "wide gap", 183, 0, 0.867, 0.946, 690.1);
  score("posterior", "nominal world", 200, 0, 0.981, 1.0, 801.5);
  score("posterior", "around the fit", 200, 0, 0.981, 1.0, 799.9);
  score("posterior", "wide gap", 198, 0, 0.964, 0.997, 771.3);
  report.comparisons = {{"wide",
                         "nominal",
                         "around the fit",
                         200,
                         26,
                         5,
                         {0.105, 0.05, 0.16, ""},
                         {37.4, 12.0, 62.1, ""},
                         1.9e-4,
                         "exact McNemar test"},
                        {"wide",
                         "nominal",
                         "wide gap",
                         200,
                         90,
                         4,
                         {0.43, 0.355, 0.505, ""},
                         {234.3, 199.2, 268.8, ""},
                         1e-19,
                         "exact McNemar test"},
                        {"posterior",
                         "nominal",
                         "around the fit",
                         200,
                         29,
                         0,
                         {0.145, 0.1, 0.195, ""},
                         {98.7, 71.5, 127.3, ""},
                         3.7e-9,
                         "exact McNemar test"},
                        {"posterior",
                         "nominal",
                         "wide gap",
                         200,
                         102,
                         1,
                         {0.505, 0.435, 0.575, ""},
                         {315.5, 280.6, 349.9, ""},
                         2e-29,
                         "exact McNemar test"}};
}

inline ReportRobot SampleRobot() {
  ReportRobot robot;
  robot.name = "pendulum-17";
  robot.endpoint = "unix:run/robot.sock";
  robot.scores = {{"nominal",
                   100,
                   44,
                   0,
                   {0.44, 0.347, 0.538, ""},
                   {431.0, 380.2, 480.9, ""},
                   "around the fit",
                   {-270.2, -322.4, -215.1, ""},
                   {0.385, 0.306, 0.459, ""}},
                  {"wide",
                   100,
                   91,
                   0,
                   {0.91, 0.838, 0.952, ""},
                   {701.7, 660.3, 739.2, ""},
                   "around the fit",
                   {-36.9, -79.8, 5.1, ""},
                   {0.050, 0.0, 0.108, ""}},
                  {"posterior",
                   98,
                   97,
                   2,
                   {0.990, 0.944, 0.998, ""},
                   {780.3, 762.2, 795.0, ""},
                   "around the fit",
                   {-19.6, -39.4, -2.3, ""},
                   {kUndefined, kUndefined, kUndefined, "the simulated return is zero"}}};
  for (int i = 0; i < 12; ++i) {
    ReportTrial trial{"posterior", i, i == 5 ? "failure" : "success", 780.0 + 3.25 * i, 10.0, ""};
    if (i == 3)
      trial = {"posterior", i,    "aborted",
               kUndefined,  1.24, "no state for 52 ms: the link's watchdog stopped it"};
    if (i == 8) trial = {"posterior", i, "aborted", kUndefined, 7.81, "the robot's process ended"};
    robot.trials.push_back(trial);
  }
  return robot;
}

inline LoopReport SampleReport() {
  LoopReport report;
  report.name = "pendulum swing-up";
  report.task =
      "Swing a torque-limited pendulum up and hold it upright for the last two seconds of ten.";
  report.source = {true, "dfki_pendulums/simple", "",
                   "BSD-3-Clause, DFKI Robotics Innovation Center"};
  report.recommended = "posterior";
  report.recommended_why =
      "Of the policies with the highest success in held-out worlds, the one with the highest "
      "return.";
  report.wanted_success = 0.95;
  report.baseline = "nominal";
  report.policies = {{"nominal", "the datasheet's world"},
                     {"wide", "a wide hand-made randomization"},
                     {"posterior", "the posterior of the fit"}};
  report.suites = {
      {"nominal world", "the datasheet's values", 200, false},
      {"around the fit", "draws from the posterior", 200, false},
      {"wide gap", "delay to 30 ms, friction × 2, torque −15 %, measured sensor noise", 200, true}};
  AddSampleScores(report);
  report.fit = SampleFit();
  for (int p = 0; p < 3; ++p) {
    ReportCurve curve{report.policies[p].name, {}, {}, {}};
    for (int i = 0; i <= 120; ++i) {
      curve.steps.push_back(8192.0 * i);
      const double s = 1.0 / (1.0 + std::exp(-(i - 40.0 - 12 * p) / 7.0));
      curve.mean_return.push_back(60 + 740 * s + 14 * std::sin(1.7 * i + p));
      curve.success.push_back(i < 10 ? kUndefined : std::min(1.0, s * (1 - 0.04 * p)));
    }
    report.curves.push_back(curve);
  }
  ReportGap gap{"nominal",
                "success",
                {1.0, 0.981, 1.0, ""},
                {0.855, 0.799, 0.897, ""},
                {},
                {-0.021, -0.046, 0.004, ""}};
  gap.parts = {{"inertia", {-0.010, -0.025, 0.005, ""}},
               {"mass × centre", {-0.031, -0.055, -0.007, ""}},
               {"viscous friction", {-0.022, -0.043, -0.002, ""}},
               {"Coulomb friction", {-0.061, -0.094, -0.028, ""}},
               {"torque offset", {0.0, -0.007, 0.007, ""}},
               {"command delay", {0.0, 0.0, 0.0, ""}}};
  report.gaps = {gap};
  gap.quantity = "return";
  gap.at_nominal = {812.4, 805.1, 819.3, ""};
  gap.at_fitted = {701.2, 675.0, 725.5, ""};
  gap.remainder = {-8.9, -20.2, 3.1, ""};
  for (auto& part : gap.parts)
    part.effect = {800 * part.effect.value, 800 * part.effect.low, 800 * part.effect.high, ""};
  report.gaps.push_back(gap);
  report.robot = SampleRobot();
  report.logs_checked = true;
  report.log_findings = {
      {"energy_shaping.csv", "warning", "first time stamp appears twice; the second row was kept",
       1},
      {"tvlqr.csv", "note", "largest step between samples 0.0131 s, median 0.005 s", 3}};
  report.provenance = {
      {"log", "energy_shaping.csv", std::string(64, 'a')},
      {"stage", "fit", std::string(64, 'b')},
      {"policy", "posterior", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}};
  report.facts = {{"seed", "1"}, {"MuJoCo", "4.0.0"}, {"Realward", "0.1.0"}};
  report.command = "realward loop examples/01_pendulum/loop.yaml --seed 1";
  return report;
}

}  // namespace realward

#endif  // REALWARD_JOBS_REPORT_SAMPLE_H_
