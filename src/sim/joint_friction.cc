#include "sim/joint_friction.h"

#include <cmath>

namespace realward {

double JointFriction(const JointSettings& s, double coulomb, double motor, double external,
                     double velocity) {
  double friction = coulomb + std::abs(s.load_motor * motor - s.load_external * external) +
                    (1.0 - s.efficiency) * std::abs(motor);
  const double near_rest =
      std::exp(-std::pow(std::abs(velocity) / s.stribeck_speed, s.stribeck_exponent));
  double at_rest =
      s.stribeck + std::abs(s.stribeck_load_motor * motor - s.stribeck_load_external * external);
  if (motor * external < 0.0) {
    at_rest += std::abs(external) < std::abs(motor) ? s.quadratic_external * external * external
                                                    : s.quadratic_motor * motor * motor;
  }
  friction += near_rest * at_rest;
  return friction;
}

}  // namespace realward
