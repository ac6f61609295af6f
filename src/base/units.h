// Units of the values that people write. Inside, everything is SI; a value is converted once, where
// it is read, and its dimension is checked there.
#ifndef REALWARD_BASE_UNITS_H_
#define REALWARD_BASE_UNITS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace realward {

// A unit: value_si = value · factor. Units of one dimension convert into each other. Degrees and
// radians share the dimension "angle"; percent and 1 share "ratio". There are no offsets (no °C as
// a difference).
struct Unit {
  std::string name;
  std::string dimension;  // for instance "torque"
  double factor = 1.0;
};

// Looks a unit up by a spelling people use: "N·m", "N*m", "Nm", "deg/s", "°/s", "ms", "1", "-".
Result<Unit> ParseUnit(std::string_view text);

// The SI unit's name of a dimension ("torque" → "N·m"); "1" for unknown dimensions.
std::string SiUnit(std::string_view dimension);

// Every unit name of a dimension, SI first; all units when dimension is empty.
std::vector<std::string> UnitNames(std::string_view dimension = "");

// A number with an optional unit, such as "7 ms", "1.5", "-30 deg". Without a unit the number is
// taken as SI. A unit of another dimension, text that is no number and non-finite values are errors
// that name them.
Result<double> ParseQuantity(std::string_view text, std::string_view dimension);

}  // namespace realward

#endif  // REALWARD_BASE_UNITS_H_
