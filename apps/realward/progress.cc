#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace realward {
namespace {
constexpr int kBarWidth = 28;
constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainShare = 0.25;  // a plain line each quarter
}  // namespace

Progress::Progress(std::string title)
    : title_(std::move(title)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (open_) fmt::print(stderr, "\n");
}

double Progress::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::Update(double share, const std::string& detail) {
  share = std::clamp(share, 0.0, 1.0);
  const double seconds = Seconds();
  if (terminal_) {
    if (seconds - last_shown_ < kRedrawSeconds && share < 1.0) return;
    last_shown_ = seconds;
    const int filled = static_cast<int>(share * kBarWidth);
    std::string bar;
    for (int i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "·";
    const std::string left =
        share > 0.02 ? fmt::format("{:.0f} s left", seconds / share * (1.0 - share)) : "";
    fmt::print(stderr, "\r\x1b[K{:<22} {} {:3.0f} %  {}  {}", title_, bar, 100.0 * share, detail,
               left);
    std::fflush(stderr);
    open_ = true;
  } else if (share - last_share_ >= kPlainShare) {
    last_share_ = share;
    fmt::print(stderr, "{:<22} {:3.0f} %  {}\n", title_, 100.0 * share, detail);
  }
}

void Progress::Finish(const std::string& detail) {
  fmt::print(stderr, "{}{:<22} {}  ({:.1f} s)\n", terminal_ ? "\r\x1b[K" : "", title_, detail,
             Seconds());
  open_ = false;
}

}  // namespace realward
