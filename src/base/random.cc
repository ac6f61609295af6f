#include "base/random.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace realward {

std::array<std::uint64_t, 4> Philox(std::array<std::uint64_t, 4> c,
                                    std::array<std::uint64_t, 2> k) {
  constexpr std::uint64_t kMultiplier0 = 0xD2E7470EE14C6C93ULL;
  constexpr std::uint64_t kMultiplier1 = 0xCA5A826395121157ULL;
  constexpr std::uint64_t kWeyl0 = 0x9E3779B97F4A7C15ULL;
  constexpr std::uint64_t kWeyl1 = 0xBB67AE8584CAA73BULL;
  for (int round = 0; round < 10; ++round) {
    const unsigned __int128 p0 = static_cast<unsigned __int128>(kMultiplier0) * c[0];
    const unsigned __int128 p1 = static_cast<unsigned __int128>(kMultiplier1) * c[2];
    c = {static_cast<std::uint64_t>(p1 >> 64) ^ c[1] ^ k[0], static_cast<std::uint64_t>(p1),
         static_cast<std::uint64_t>(p0 >> 64) ^ c[3] ^ k[1], static_cast<std::uint64_t>(p0)};
    k[0] += kWeyl0;
    k[1] += kWeyl1;
  }
  return c;
}

Stream::Stream(const StreamId& id)
    : counter_{0, id.step, id.episode, (static_cast<std::uint64_t>(id.unit) << 32) | id.world},
      key_{id.seed, static_cast<std::uint64_t>(id.purpose)} {}

std::uint64_t Stream::Bits() {
  if (used_ == 4) {
    block_ = Philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

double Stream::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }

double Stream::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // 1 − u is in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  const double angle = 2.0 * std::numbers::pi * Uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t Stream::Index(std::uint64_t n) {
  RW_CHECK(n > 0);
  // Rejection keeps every residue equally likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  std::uint64_t bits = Bits();
  while (bits >= limit) bits = Bits();
  return bits % n;
}

}  // namespace realward
