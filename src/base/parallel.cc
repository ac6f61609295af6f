#include "base/parallel.h"

#include "base/check.h"

namespace realward {

Workers::Workers(int threads, const std::function<void()>& on_start) {
  RW_CHECK(threads >= 1);
  if (on_start) on_start();
  for (int i = 1; i < threads; ++i) {
    workers_.emplace_back([this, on_start] {
      if (on_start) on_start();
      Loop();
    });
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Workers::Run(int count, const std::function<void(int)>& item) {
  {
    const std::lock_guard lock(mutex_);
    item_ = &item;
    count_ = count;
    next_ = 0;
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  wake_.notify_all();
  Drain();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  item_ = nullptr;
}

void Workers::Drain() {
  for (;;) {
    int mine;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= count_) return;
      mine = next_++;
    }
    (*item_)(mine);
  }
}

void Workers::Loop() {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    Drain();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_all();
  }
}

}  // namespace realward
