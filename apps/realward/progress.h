// What a person sees while a long verb works: a bar on a terminal, a plain line now and then
// otherwise. Standard error only; never part of a result.
#ifndef REALWARD_APPS_REALWARD_PROGRESS_H_
#define REALWARD_APPS_REALWARD_PROGRESS_H_

#include <chrono>
#include <string>

namespace realward {

class Progress {
 public:
  explicit Progress(std::string title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // share in [0, 1]; `detail` is short.
  void Update(double share, const std::string& detail);
  // Ends the bar with a last line.
  void Finish(const std::string& detail);

 private:
  double Seconds() const;

  std::string title_;
  bool terminal_;
  bool open_ = false;
  double last_shown_ = -1.0;  // s since start
  double last_share_ = -1.0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace realward

#endif  // REALWARD_APPS_REALWARD_PROGRESS_H_
