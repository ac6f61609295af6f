// A fixed set of worker threads. Which thread runs which item never changes a result: items write
// to their own places and sums are taken in item order by the caller.
#ifndef REALWARD_BASE_PARALLEL_H_
#define REALWARD_BASE_PARALLEL_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace realward {

class Workers {
 public:
  // `threads` ≥ 1 includes the caller's. `on_start` runs once in every worker thread and once in
  // the caller's, for thread-local settings.
  explicit Workers(int threads, const std::function<void()>& on_start = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Calls item(0) … item(count − 1), each once, and returns when all are done. Not reentrant; item
  // must not throw.
  void Run(int count, const std::function<void(int)>& item);

 private:
  void Loop();
  void Drain();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* item_ = nullptr;
  int count_ = 0;
  int next_ = 0;
  int busy_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
};

}  // namespace realward

#endif  // REALWARD_BASE_PARALLEL_H_
