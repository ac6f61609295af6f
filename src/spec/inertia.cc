#include "spec/inertia.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace realward {
namespace {

constexpr double kMargin = 1e-9;  // relative

// Eigenvalues, largest first, and eigenvectors in the columns of a row-major 3 × 3 matrix.
struct Eigen3 {
  std::array<double, 3> values;
  std::array<double, 9> vectors;
};

Eigen3 Decompose(const InertiaTensor& i) {
  const mjtNum matrix[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
  Eigen3 eigen{};
  mjtNum quaternion[4];
  mju_eig3(eigen.values.data(), eigen.vectors.data(), quaternion, matrix);
  return eigen;
}

}  // namespace

std::array<double, 3> PrincipalMoments(const InertiaTensor& inertia) {
  return Decompose(inertia).values;
}

double TriangleExcess(const InertiaTensor& inertia) {
  const auto [a, b, c] = PrincipalMoments(inertia);
  if (c < 0.0) return std::numeric_limits<double>::infinity();
  return a > 0.0 ? (a - b - c) / a : 0.0;
}

std::optional<InertiaTensor> NearestPhysical(const InertiaTensor& inertia) {
  const Eigen3 eigen = Decompose(inertia);
  const double half_trace = 0.5 * (eigen.values[0] + eigen.values[1] + eigen.values[2]);
  if (!(half_trace > 0.0) || !std::isfinite(half_trace)) return std::nullopt;
  std::array<double, 3> second;
  for (int k = 0; k < 3; ++k)
    second[k] = std::max(half_trace - eigen.values[k], kMargin * half_trace);
  const double sum = second[0] + second[1] + second[2];
  InertiaTensor out{};
  constexpr int kRow[6] = {0, 1, 2, 0, 0, 1};
  constexpr int kColumn[6] = {0, 1, 2, 1, 2, 2};
  for (int e = 0; e < 6; ++e) {
    for (int k = 0; k < 3; ++k) {
      out[e] +=
          (sum - second[k]) * eigen.vectors[3 * kRow[e] + k] * eigen.vectors[3 * kColumn[e] + k];
    }
  }
  return out;
}

InertiaTensor Isotropic(double moment) { return {moment, moment, moment, 0.0, 0.0, 0.0}; }

std::string InertiaText(const InertiaTensor& i) {
  return fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} kg m^2", i[0], i[1], i[2], i[3],
                     i[4], i[5]);
}

}  // namespace realward
