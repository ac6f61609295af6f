#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "base/text.h"

namespace realward {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// The first entry of a dimension is its SI unit.
const std::vector<Unit>& Table() {
  static const std::vector<Unit> table = {
      {"1", "ratio", 1.0},
      {"%", "ratio", 0.01},
      {"s", "time", 1.0},
      {"ms", "time", 1e-3},
      {"us", "time", 1e-6},
      {"ns", "time", 1e-9},
      {"min", "time", 60.0},
      {"h", "time", 3600.0},
      {"Hz", "frequency", 1.0},
      {"kHz", "frequency", 1e3},
      {"rad", "angle", 1.0},
      {"deg", "angle", kDegree},
      {"mrad", "angle", 1e-3},
      {"rev", "angle", 2.0 * std::numbers::pi},
      {"rad/s", "angular_velocity", 1.0},
      {"deg/s", "angular_velocity", kDegree},
      {"rpm", "angular_velocity", 2.0 * std::numbers::pi / 60.0},
      {"rad/s^2", "angular_acceleration", 1.0},
      {"deg/s^2", "angular_acceleration", kDegree},
      {"m", "length", 1.0},
      {"cm", "length", 1e-2},
      {"mm", "length", 1e-3},
      {"um", "length", 1e-6},
      {"m/s", "velocity", 1.0},
      {"mm/s", "velocity", 1e-3},
      {"km/h", "velocity", 1.0 / 3.6},
      {"m/s^2", "acceleration", 1.0},
      {"g0", "acceleration", 9.80665},
      {"kg", "mass", 1.0},
      {"g", "mass", 1e-3},
      {"kg*m^2", "inertia", 1.0},
      {"g*cm^2", "inertia", 1e-7},
      {"N", "force", 1.0},
      {"mN", "force", 1e-3},
      {"N*m", "torque", 1.0},
      {"mN*m", "torque", 1e-3},
      {"N*m/rad", "rotational_stiffness", 1.0},
      {"N*m/deg", "rotational_stiffness", 1.0 / kDegree},
      {"N*m*s/rad", "rotational_damping", 1.0},
      {"N/m", "linear_stiffness", 1.0},
      {"N*s/m", "linear_damping", 1.0},
      {"N*s", "impulse", 1.0},
      {"V", "voltage", 1.0},
      {"mV", "voltage", 1e-3},
      {"A", "current", 1.0},
      {"mA", "current", 1e-3},
      {"ohm", "resistance", 1.0},
      {"mohm", "resistance", 1e-3},
      {"V*s/rad", "motor_constant", 1.0},
      {"N*m/A", "motor_constant", 1.0},
      {"Pa", "pressure", 1.0},
      {"kPa", "pressure", 1e3},
      {"MPa", "pressure", 1e6},
      {"K", "temperature", 1.0},
      {"1/K", "temperature_coefficient", 1.0},
      {"N*m/s", "torque_rate", 1.0},
      {"N/s", "force_rate", 1.0},
      {"V/s", "voltage_rate", 1.0},
      {"K/(N*m)^2", "heating", 1.0},
      {"K/N^2", "linear_heating", 1.0},
      {"W/(N*m)^2", "copper_loss", 1.0},
      {"W/N^2", "linear_copper_loss", 1.0},
      {"1/(N*m)", "inverse_torque", 1.0},
      {"1/N", "inverse_force", 1.0},
      {"T", "magnetic_field", 1.0},
      {"uT", "magnetic_field", 1e-6},
  };
  return table;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// One spelling per unit: middle dot, degree sign, micro, Ω, superscripts, "Nm".
std::string Normalise(std::string_view raw) {
  std::string text(raw);
  ReplaceAll(text, "·", "*");
  ReplaceAll(text, "⋅", "*");
  ReplaceAll(text, "°", "deg");
  ReplaceAll(text, "µ", "u");
  ReplaceAll(text, "μ", "u");
  ReplaceAll(text, "Ω", "ohm");
  ReplaceAll(text, "Ohm", "ohm");
  ReplaceAll(text, "²", "^2");
  ReplaceAll(text, "s2", "s^2");
  ReplaceAll(text, "m2", "m^2");
  ReplaceAll(text, "Nm", "N*m");
  ReplaceAll(text, "kgm", "kg*m");
  ReplaceAll(text, "sec", "s");
  ReplaceAll(text, " ", "");
  if (text == "-") text = "1";
  if (text == "percent") text = "%";
  return text;
}

}  // namespace

Result<Unit> ParseUnit(std::string_view raw) {
  const std::string text = Normalise(raw);
  for (const Unit& unit : Table()) {
    if (unit.name == text) return unit;
  }
  return InvalidInput(UnknownName("unit", raw, UnitNames()));
}

std::string SiUnit(std::string_view dimension) {
  for (const Unit& unit : Table()) {
    if (unit.dimension == dimension) return unit.name;
  }
  return "1";
}

std::vector<std::string> UnitNames(std::string_view dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : Table()) {
    if (dimension.empty() || unit.dimension == dimension) names.push_back(unit.name);
  }
  return names;
}

Result<double> ParseQuantity(std::string_view raw, std::string_view dimension) {
  const std::size_t begin = raw.find_first_not_of(" \t");
  const std::size_t end = raw.find_last_not_of(" \t");
  if (begin == std::string_view::npos) return InvalidInput("empty value where a number is needed");
  std::string_view text = raw.substr(begin, end - begin + 1);
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  // from_chars ignores the locale, so a decimal point is a point everywhere.
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || rest == text.data()) {
    return InvalidInput(fmt::format("'{}' is not a number", raw));
  }
  if (!std::isfinite(value)) return InvalidInput(fmt::format("'{}' is not a finite number", raw));
  std::string_view unit_text = text.substr(static_cast<std::size_t>(rest - text.data()));
  unit_text.remove_prefix(std::min(unit_text.find_first_not_of(" \t"), unit_text.size()));
  if (unit_text.empty()) return value;
  RW_ASSIGN(const Unit unit, ParseUnit(unit_text));
  if (unit.dimension != dimension) {
    return InvalidInput(fmt::format("'{}' is in {} ({}), but a value in {} ({}) is needed here",
                                    raw, unit.name, unit.dimension,
                                    JoinChoices(UnitNames(dimension)), dimension));
  }
  return value * unit.factor;
}

}  // namespace realward
