// The program's verbs. Each Add… declares a sub-command; the chosen one leaves its work in `run`.
#ifndef REALWARD_APPS_REALWARD_VERBS_H_
#define REALWARD_APPS_REALWARD_VERBS_H_

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/hash.h"
#include "base/result.h"

namespace realward {

struct Context {
  bool json = false;  // one machine-readable object on standard output
  std::uint64_t seed = 1;
  bool seed_given = false;
  int threads = 1;
  std::atomic<bool>* stop = nullptr;  // set by Ctrl-C
  std::string program;                // path of this program, to start the virtual robot
  std::function<int()> run;
};

void AddCheck(CLI::App& app, Context& context);
void AddWorlds(CLI::App& app, Context& context);
void AddTrain(CLI::App& app, Context& context);
void AddEval(CLI::App& app, Context& context);
void AddCompare(CLI::App& app, Context& context);
void AddFit(CLI::App& app, Context& context);
void AddLogs(CLI::App& app, Context& context);
void AddLoop(CLI::App& app, Context& context);
void AddRobot(CLI::App& app, Context& context);
void AddData(CLI::App& app, Context& context);
void AddNew(CLI::App& app, Context& context);

// Prints the error on standard error (and as an object with --json) and gives the exit status.
int Report(const Context& context, const Error& error);
// Prints an object with --json, the text otherwise; gives 0.
int Answer(const Context& context, const Json& object, const std::string& text);

// --seed, --threads and --json, on every verb.
void AddCommon(CLI::App& verb, Context& context);

}  // namespace realward

#endif  // REALWARD_APPS_REALWARD_VERBS_H_
