#include "deploy/link_fast.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace realward {
namespace {

template <class Integer>
void AppendInteger(std::string& out, Integer value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out.append(digits, end);
}

void AppendValues(std::string& out, const std::vector<double>& values) {
  out += "\"values\":[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendNumber(out, values[i]);
  }
  out += "]}\n";
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes tokens off the front of a line; each method says whether the token was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool Skip(std::string_view token) {
    if (!std::string_view(at_, end_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // A JSON integer ≥ 0.
  bool ReadIndex(std::int64_t& value) {
    if (at_ == end_ || !IsDigit(*at_)) return false;
    if (*at_ == '0' && end_ - at_ > 1 && IsDigit(at_[1])) return false;
    const auto [after, status] = std::from_chars(at_, end_, value);
    if (status != std::errc()) return false;
    at_ = after;
    return true;
  }

  // A JSON number. from_chars alone would also take "inf", "01", "1." and ".5".
  bool ReadNumber(double& value) {
    const char* stop = NumberEnd();
    if (stop == nullptr) return false;
    const auto [after, status] = std::from_chars(at_, stop, value);
    if (status != std::errc() || after != stop) return false;
    // JSON readers take "-0" for the integer 0, which has no sign.
    if (value == 0.0 && stop - at_ == 2) value = 0.0;
    at_ = stop;
    return true;
  }

  bool ReadValues(std::vector<double>& values) {
    values.clear();
    if (!Skip("\"values\":[")) return false;
    if (Skip("]}")) return true;
    do {
      double value = std::numeric_limits<double>::quiet_NaN();
      if (!ReadNumber(value) && !Skip("null")) return false;
      values.push_back(value);
    } while (Skip(","));
    return Skip("]}");
  }

  bool AtEnd() const { return at_ == end_; }

 private:
  // One past the number at the front, or null when there is none.
  const char* NumberEnd() const {
    const char* p = at_;
    const auto digits = [&] {
      const char* first = p;
      while (p != end_ && IsDigit(*p)) ++p;
      return p != first;
    };
    if (p != end_ && *p == '-') ++p;
    const char* first = p;
    if (!digits()) return nullptr;
    if (*first == '0' && p - first > 1) return nullptr;
    if (p != end_ && *p == '.') {
      ++p;
      if (!digits()) return nullptr;
    }
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      ++p;
      if (p != end_ && (*p == '+' || *p == '-')) ++p;
      if (!digits()) return nullptr;
    }
    return p;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

void AppendNumber(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out.append(digits, end);
  // "-0" is an integer to many JSON readers and would lose its sign.
  if (value == 0.0 && std::signbit(value)) out += ".0";
}

void AppendState(std::string& out, const RobotState& state) {
  out += "{\"type\":\"state\",\"trial\":";
  AppendInteger(out, state.trial);
  out += ",\"seq\":";
  AppendInteger(out, state.seq);
  out += ",\"t_s\":";
  AppendNumber(out, state.t_s);
  if (state.command_seq >= 0) {
    out += ",\"command_seq\":";
    AppendInteger(out, state.command_seq);
  }
  out += ",\"status\":\"";
  out += LinkName(state.status);
  out += "\",";
  AppendValues(out, state.values);
}

void AppendCommand(std::string& out, const RobotCommand& command) {
  out += "{\"type\":\"command\",\"trial\":";
  AppendInteger(out, command.trial);
  out += ",\"seq\":";
  AppendInteger(out, command.seq);
  out += ",\"t_s\":";
  AppendNumber(out, command.t_s);
  out += ',';
  AppendValues(out, command.values);
}

bool FastReadState(std::string_view line, RobotState& out) {
  Scanner scan(line);
  if (!scan.Skip("{\"type\":\"state\",\"trial\":") || !scan.ReadIndex(out.trial)) return false;
  if (!scan.Skip(",\"seq\":") || !scan.ReadIndex(out.seq)) return false;
  if (!scan.Skip(",\"t_s\":") || !scan.ReadNumber(out.t_s)) return false;
  out.command_seq = -1;
  if (scan.Skip(",\"command_seq\":") && !scan.ReadIndex(out.command_seq)) return false;
  if (scan.Skip(",\"status\":\"ok\",")) {
    out.status = TrialStatus::kOk;
  } else if (scan.Skip(",\"status\":\"ended\",")) {
    out.status = TrialStatus::kEnded;
  } else if (scan.Skip(",\"status\":\"stopped\",")) {
    out.status = TrialStatus::kStopped;
  } else {
    return false;
  }
  return scan.ReadValues(out.values) && scan.AtEnd();
}

bool FastReadCommand(std::string_view line, RobotCommand& out) {
  Scanner scan(line);
  if (!scan.Skip("{\"type\":\"command\",\"trial\":") || !scan.ReadIndex(out.trial)) return false;
  if (!scan.Skip(",\"seq\":") || !scan.ReadIndex(out.seq)) return false;
  if (!scan.Skip(",\"t_s\":") || !scan.ReadNumber(out.t_s)) return false;
  return scan.Skip(",") && scan.ReadValues(out.values) && scan.AtEnd();
}

}  // namespace realward
