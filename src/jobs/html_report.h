// The loop's report: plain values in, one self-contained HTML page out. The page needs no script,
// no network and no font; it fits paper and a 390 px screen, light and dark. No clock and no
// locale: equal input gives equal bytes. A missing part is said in words.
#ifndef REALWARD_JOBS_HTML_REPORT_H_
#define REALWARD_JOBS_HTML_REPORT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace realward {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// A number and its 95 % interval. A value that is NaN is undefined; `why` then says the reason in
// words.
struct Estimate {
  double value = kUndefined;
  double low = kUndefined;
  double high = kUndefined;
  std::string why;
};

struct ReportSource {
  bool from_hardware = false;
  std::string
      dataset;  // name of the data set; with virtual logs, of the one that was not to be had
  std::string because;  // with virtual logs: why, a clause without a capital or full stop
  std::string licence;  // of the data set, and whom to credit; may be empty
};

// One set of worlds, or the robot's trials, that every policy meets.
struct ReportSuite {
  std::string name;
  std::string description;
  int worlds = 0;
  bool held_out = false;  // its worlds lie outside what was trained on: the verdict's evidence
};

struct ReportPolicy {
  std::string name;
  std::string trained_on;  // in words: "nominal world", "posterior of the fit"
};

// How one policy did on one suite.
struct ReportScore {
  std::string policy;
  std::string suite;
  int trials = 0;
  int successes = 0;
  int diverged = 0;  // ended as failed (diverged); counted among the failures
  Estimate success;  // share, Wilson interval
  Estimate mean_return;
};

// A policy against the baseline on the same worlds.
struct ReportComparison {
  std::string policy;
  std::string baseline;
  std::string suite;
  int pairs = 0;
  int only_policy = 0;    // pairs in which the policy alone succeeded
  int only_baseline = 0;  // … the baseline alone
  Estimate success_difference;
  Estimate return_difference;
  double p_value = kUndefined;  // of the paired test on success
  std::string test;             // "exact McNemar"
};

// A recording and two free simulations of it, one quantity; all vectors have the length of time.
// Non-finite values are gaps.
struct ReportOverlay {
  std::string recording;
  std::string quantity;      // "angle"
  std::string unit;          // "rad"
  bool held_out = true;      // the fit never saw it
  std::vector<double> time;  // s
  std::vector<double> recorded;
  std::vector<double> datasheet;
  std::vector<double> fitted;
};

// RMS error of the free simulation of one recording.
struct ReportResidual {
  std::string recording;
  std::string quantity;
  std::string unit;
  bool held_out = true;
  double datasheet_rms = kUndefined;
  double fitted_rms = kUndefined;
};

enum class DensityKind { kNone, kPoint, kUniform, kLogUniform, kNormal, kSamples };

// kPoint: a. kUniform, kLogUniform: [a, b]. kNormal: mean a, standard deviation b, cut to [low,
// high].
struct ReportDensity {
  DensityKind kind = DensityKind::kNone;
  double a = 0.0;
  double b = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<double> samples;
};

struct ReportParameter {
  std::string name;
  std::string meaning;  // one clause
  std::string unit;     // "" for a ratio
  double nominal = kUndefined;
  Estimate fitted;
  double bound_low = kUndefined;
  double bound_high = kUndefined;
  bool on_low_bound = false;
  bool on_high_bound = false;
  bool undetermined = false;  // the data do not say more than the prior
  ReportDensity prior;
  ReportDensity posterior;
  std::optional<double> truth;  // the virtual robot's hidden value, when the logs came from it
};

// A number that follows from fitted parameters and can be checked: "implied length".
struct ReportDerived {
  std::string name;
  std::string unit;
  Estimate fitted;
  std::optional<double> known;  // measured otherwise
};

struct ReportFit {
  std::string method;   // one sentence
  std::string outcome;  // in words: converged or not, how many residuals
  bool converged = true;
  std::vector<ReportOverlay> overlays;
  std::vector<ReportResidual> residuals;
  std::vector<ReportParameter> parameters;
  std::vector<ReportDerived> derived;
  std::vector<std::string> correlation_names;
  std::vector<double> correlation;  // row-major, square
};

// Vectors of one length; success may be empty.
struct ReportCurve {
  std::string policy;
  std::vector<double> steps;
  std::vector<double> mean_return;
  std::vector<double> success;
};

// How a policy's result moves when one parameter at a time goes from nominal to fitted.
struct ReportGap {
  std::string policy;
  std::string quantity;  // "success" (a share) or "return"
  Estimate at_nominal;
  Estimate at_fitted;  // all parameters moved together
  struct Part {
    std::string parameter;
    Estimate effect;
  };
  std::vector<Part> parts;
  Estimate remainder;  // together minus sum of parts: interaction
};

struct ReportTrial {
  std::string policy;
  int number = 0;
  std::string outcome;  // "success", "failure", "aborted", "diverged"
  double trial_return = kUndefined;
  double duration = kUndefined;  // s
  std::string reason;            // why it was aborted
};

struct ReportRobotScore {
  std::string policy;
  int trials = 0;
  int successes = 0;
  int aborted = 0;  // not counted among the trials
  Estimate success;
  Estimate mean_return;
  std::string sim_suite;  // what R_sim was measured on
  Estimate delta;         // Δ = E_real[L] − E_sim[L]; L the return unless said
  Estimate gap_ratio;     // |R_real − R_sim| / |R_sim|
};

struct ReportRobot {
  std::string name;
  bool is_virtual = true;
  std::string endpoint;
  std::vector<ReportRobotScore> scores;
  std::vector<ReportTrial> trials;
};

struct ReportLogFinding {
  std::string file;
  std::string severity;  // "error", "warning", "note"
  std::string what;
  std::int64_t count = 1;
};

struct ReportItem {  // a named thing with its content hash
  std::string role;  // "task", "log", "stage train", …
  std::string name;
  std::string hash;
};

struct ReportFact {  // seeds, versions, settings
  std::string name;
  std::string value;
};

struct LoopReport {
  std::string name;
  std::string task;  // one sentence
  ReportSource source;
  std::string recommended;               // policy name; empty: none
  std::string recommended_why;           // how it was chosen, or why none is
  std::optional<double> wanted_success;  // share that was asked for in held-out worlds
  std::string baseline;
  std::vector<ReportPolicy> policies;
  std::vector<ReportSuite> suites;
  std::vector<ReportScore> scores;
  std::vector<ReportComparison> comparisons;
  std::optional<ReportFit> fit;
  std::vector<ReportCurve> curves;
  std::vector<ReportGap> gaps;
  std::optional<ReportRobot> robot;
  std::vector<ReportLogFinding> log_findings;
  bool logs_checked = false;
  std::vector<ReportItem> provenance;
  std::vector<ReportFact> facts;
  std::string command;
};

// The whole page.
std::string RenderHtml(const LoopReport& report);

// One picture with its own white background: a recording, and the free simulations with datasheet
// and with fitted values, over their errors. Empty when the overlay has no finite point.
std::string RenderFitPicture(const ReportOverlay& overlay);

// The sentence that opens the page and the terminal summary: where the data came from.
std::string SourceSentence(const ReportSource& source);

}  // namespace realward

#endif  // REALWARD_JOBS_HTML_REPORT_H_
