#include "deploy/robot_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace realward {
namespace {

constexpr std::size_t kMostUnits = 256;
constexpr std::string_view kUnit = "{unit}";

bool ReadNumber(std::string_view text, std::uint32_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<std::vector<std::uint32_t>> ParseUnits(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return InvalidInput(fmt::format("units '{}': {}; valid: such as 3, 0-3 or 0,2,5-7",
                                    PrintableExcerpt(text), why));
  };
  std::vector<std::uint32_t> units;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    std::uint32_t first = 0, last = 0;
    if (!ReadNumber(part.substr(0, dash), first) ||
        !ReadNumber(dash == part.npos ? part : part.substr(dash + 1), last))
      return wrong(fmt::format("'{}' is no unit and no range", PrintableExcerpt(part)));
    if (last < first) return wrong(fmt::format("the range {} is reversed", part));
    if (last - first >= kMostUnits || units.size() + (last - first) >= kMostUnits)
      return wrong(fmt::format("at most {} are served at once", kMostUnits));
    for (std::uint32_t unit = first;; ++unit) {
      units.push_back(unit);
      if (unit == last) break;
    }
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(units.begin(), units.end());
  const auto twice = std::adjacent_find(units.begin(), units.end());
  if (twice != units.end()) return wrong(fmt::format("unit {} stands twice", *twice));
  return units;
}

Result<std::string> UnitAddress(std::string_view pattern, std::uint32_t unit, bool several) {
  std::string text(pattern);
  bool replaced = false;
  for (std::size_t at; (at = text.find(kUnit)) != text.npos; replaced = true)
    text.replace(at, kUnit.size(), fmt::format("{}", unit));
  RW_ASSIGN(LinkAddress address, ParseLinkAddress(text));
  if (replaced) return text;
  if (address.is_unix) {
    if (!several) return text;
    return InvalidInput(
        fmt::format("address '{}': several units cannot listen at one socket; put {} into the path",
                    text, kUnit));
  }
  if (address.port == 0) return text;
  if (unit > 65535u - static_cast<std::uint32_t>(address.port)) {
    return InvalidInput(fmt::format("address '{}': the port of unit {} would be {}, beyond 65535",
                                    text, unit, std::uint64_t{unit} + address.port));
  }
  address.port += static_cast<int>(unit);
  return address.Text();
}

Status ServeFleet(std::vector<FleetRobot>& robots) {
  std::vector<Status> served(robots.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < robots.size(); ++i) {
    threads.emplace_back([&, i] {
      FleetRobot& robot = robots[i];
      robot.serve.recorder = robot.log.get();
      served[i] = ServeRobot(robot.listener, *robot.backend, robot.serve);
      robot.listener.Close();  // its clients hear of a failure at once
      if (!served[i].ok() && robot.serve.log)
        robot.serve.log(fmt::format("serving ended: {}", served[i].error().message));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < robots.size(); ++i) {
    if (served[i].ok()) continue;
    if (robots.size() == 1) return served[i];
    return Error{served[i].error().kind,
                 fmt::format("unit {}: {}", robots[i].unit, served[i].error().message)};
  }
  return {};
}

}  // namespace realward
