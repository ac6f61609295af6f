#include "deploy/link_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "base/hash.h"
#include "base/text.h"
#include "deploy/link_fast.h"

namespace realward {
namespace {

using OrderedJson = nlohmann::ordered_json;

// In the order of LinkMessage's alternatives.
constexpr std::array<std::string_view, 10> kTypes = {
    "hello", "welcome", "reset", "state", "command", "event", "result", "error", "stop", "bye"};
static_assert(kTypes.size() == std::variant_size_v<LinkMessage>);
constexpr std::array<std::string_view, 5> kEnds = {"horizon", "terminated", "diverged", "watchdog",
                                                   "stopped"};
constexpr std::array<std::string_view, 3> kStatuses = {"ok", "ended", "stopped"};
constexpr std::array<std::string_view, 2> kClocks = {"virtual", "real"};

template <std::size_t N>
std::vector<std::string> Names(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

// A value as errors show it. Lists and objects by their size only: dump() recurses, and a line of
// nested brackets from the network would overflow the stack.
std::string Shown(const Json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return fmt::format("an object of {} fields", value.size());
  return PrintableExcerpt(value.dump(-1, ' ', true, Json::error_handler_t::replace));
}

// One JSON object being read; `path` names it in errors.
struct Fields {
  const Json& json;
  std::string path;

  Error Wrong(std::string_view key, std::string_view wanted) const {
    return InvalidInput(fmt::format("{}.{}: expected {}, got {}", path, key, wanted,
                                    Shown(json.at(std::string(key)))));
  }

  // Exactly these fields, apart from the optional ones, no others.
  Status Only(std::initializer_list<std::string_view> required,
              std::initializer_list<std::string_view> optional = {}) const {
    std::vector<std::string> valid(required.begin(), required.end());
    for (const std::string& key : valid) {
      if (!json.contains(key)) {
        return InvalidInput(fmt::format("{}: field '{}' is missing in {}", path, key, Shown(json)));
      }
    }
    valid.insert(valid.end(), optional.begin(), optional.end());
    for (const auto& item : json.items()) {
      if (std::find(valid.begin(), valid.end(), item.key()) == valid.end()) {
        return InvalidInput(
            fmt::format("{}: {}", path, UnknownName("field", PrintableExcerpt(item.key()), valid)));
      }
    }
    return {};
  }

  const Json& At(std::string_view key) const { return json.at(std::string(key)); }

  Result<std::string> Text(std::string_view key) const {
    if (!At(key).is_string()) return Wrong(key, "a string");
    return At(key).get<std::string>();
  }
  Result<bool> Bool(std::string_view key) const {
    if (!At(key).is_boolean()) return Wrong(key, "true or false");
    return At(key).get<bool>();
  }
  Result<double> Number(std::string_view key) const {
    if (!At(key).is_number()) return Wrong(key, "a number");
    return At(key).get<double>();
  }
  // A number, or `otherwise` for null.
  Result<double> NumberOr(std::string_view key, double otherwise) const {
    if (At(key).is_null()) return otherwise;
    if (!At(key).is_number()) return Wrong(key, "a number or null");
    return At(key).get<double>();
  }
  Result<std::uint64_t> Unsigned(std::string_view key) const {
    if (!At(key).is_number_unsigned()) return Wrong(key, "an integer from 0 to 2^64 - 1");
    return At(key).get<std::uint64_t>();
  }
  Result<std::int64_t> Index(std::string_view key) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!At(key).is_number_unsigned() || At(key).get<std::uint64_t>() > kMost) {
      return Wrong(key, "an integer from 0 to 2^63 - 1");
    }
    return At(key).get<std::int64_t>();
  }
  template <class Enum, std::size_t N>
  Result<Enum> Choice(std::string_view key, const std::array<std::string_view, N>& names) const {
    if (At(key).is_string()) {
      const auto found = std::find(names.begin(), names.end(), At(key).get<std::string>());
      if (found != names.end()) return static_cast<Enum>(found - names.begin());
    }
    return Wrong(key, JoinChoices(Names(names)));
  }
  // Numbers; null is NaN.
  Result<std::vector<double>> Values(std::string_view key) const {
    if (!At(key).is_array()) return Wrong(key, "a list of numbers");
    std::vector<double> values;
    for (const Json& item : At(key)) {
      if (!item.is_number() && !item.is_null()) {
        return InvalidInput(fmt::format("{}.{}[{}]: expected a number or null, got {}", path, key,
                                        values.size(), Shown(item)));
      }
      values.push_back(item.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : item.get<double>());
    }
    return values;
  }
  // Reads a list of objects with `read`.
  template <class T, class Read>
  Result<std::vector<T>> List(std::string_view key, Read read) const {
    if (!At(key).is_array()) return Wrong(key, "a list of objects");
    std::vector<T> items;
    for (const Json& item : At(key)) {
      const Fields fields{item, fmt::format("{}.{}[{}]", path, key, items.size())};
      if (!item.is_object()) {
        return InvalidInput(
            fmt::format("{}: expected an object, got {}", fields.path, Shown(item)));
      }
      RW_ASSIGN(T value, read(fields));
      items.push_back(std::move(value));
    }
    return items;
  }
};

Result<LinkMessage> ReadHello(const Fields& in) {
  HelloMessage hello;
  if (in.json.contains("protocol")) {
    RW_ASSIGN(hello.protocol, in.Text("protocol"));
  }
  if (in.json.contains("version")) {
    RW_ASSIGN(const std::int64_t version, in.Index("version"));
    hello.version = static_cast<int>(std::min<std::int64_t>(version, 1 << 30));
  }
  // Another protocol or version may have other fields: the robot answers it from these two alone.
  if (hello.protocol != kLinkProtocol || hello.version != kLinkVersion) return LinkMessage(hello);
  RW_TRY(in.Only({"type", "protocol", "version", "client"}));
  RW_ASSIGN(hello.client, in.Text("client"));
  return LinkMessage(hello);
}

Result<LinkChannel> ReadChannel(const Fields& in) {
  LinkChannel channel;
  RW_TRY(in.Only({"name", "unit"}));
  RW_ASSIGN(channel.name, in.Text("name"));
  RW_ASSIGN(channel.unit, in.Text("unit"));
  return channel;
}

Result<LinkActuator> ReadActuator(const Fields& in) {
  LinkActuator actuator;
  RW_TRY(in.Only({"name", "unit", "low", "high"}, {"safe"}));
  RW_ASSIGN(actuator.name, in.Text("name"));
  RW_ASSIGN(actuator.unit, in.Text("unit"));
  RW_ASSIGN(actuator.low, in.NumberOr("low", actuator.low));
  RW_ASSIGN(actuator.high, in.NumberOr("high", actuator.high));
  if (in.json.contains("safe")) {
    RW_ASSIGN(actuator.safe, in.Number("safe"));
  }
  return actuator;
}

Result<LinkMessage> ReadWelcome(const Fields& in) {
  if (in.json.contains("version")) {
    RW_ASSIGN(const std::int64_t version, in.Index("version"));
    if (version != kLinkVersion) {
      return InvalidInput(
          fmt::format("welcome.version: the robot speaks version {}, this side version {}", version,
                      kLinkVersion));
    }
  }
  RW_TRY(in.Only({"type", "version", "robot", "channels", "actuators", "control_period_s", "clock",
                  "watchdog_s", "can_reset"}));
  RobotDescription robot;
  RW_ASSIGN(robot.robot, in.Text("robot"));
  RW_ASSIGN(robot.channels, in.List<LinkChannel>("channels", ReadChannel));
  RW_ASSIGN(robot.actuators, in.List<LinkActuator>("actuators", ReadActuator));
  RW_ASSIGN(robot.control_period_s, in.Number("control_period_s"));
  RW_ASSIGN(robot.clock, in.Choice<LinkClock>("clock", kClocks));
  RW_ASSIGN(robot.watchdog_s, in.Number("watchdog_s"));
  RW_ASSIGN(robot.can_reset, in.Bool("can_reset"));
  RW_TRY(CheckDescription(robot));
  return LinkMessage(std::move(robot));
}

Result<LinkMessage> ReadReset(const Fields& in) {
  RW_TRY(in.Only({"type", "trial", "seed"}));
  ResetMessage reset;
  RW_ASSIGN(reset.trial, in.Index("trial"));
  RW_ASSIGN(reset.seed, in.Unsigned("seed"));
  return LinkMessage(reset);
}

Result<LinkMessage> ReadState(const Fields& in) {
  RW_TRY(in.Only({"type", "trial", "seq", "t_s", "status", "values"}, {"command_seq"}));
  RobotState state;
  RW_ASSIGN(state.trial, in.Index("trial"));
  RW_ASSIGN(state.seq, in.Index("seq"));
  RW_ASSIGN(state.t_s, in.Number("t_s"));
  if (in.json.contains("command_seq")) {
    RW_ASSIGN(state.command_seq, in.Index("command_seq"));
  }
  RW_ASSIGN(state.status, in.Choice<TrialStatus>("status", kStatuses));
  RW_ASSIGN(state.values, in.Values("values"));
  return LinkMessage(std::move(state));
}

Result<LinkMessage> ReadCommand(const Fields& in) {
  RW_TRY(in.Only({"type", "trial", "seq", "t_s", "values"}));
  RobotCommand command;
  RW_ASSIGN(command.trial, in.Index("trial"));
  RW_ASSIGN(command.seq, in.Index("seq"));
  RW_ASSIGN(command.t_s, in.Number("t_s"));
  RW_ASSIGN(command.values, in.Values("values"));
  return LinkMessage(std::move(command));
}

Result<LinkMessage> ReadEvent(const Fields& in) {
  RW_TRY(in.Only({"type", "kind", "trial", "seq", "message"}));
  EventMessage event;
  RW_ASSIGN(event.kind, in.Text("kind"));
  RW_ASSIGN(event.trial, in.Index("trial"));
  RW_ASSIGN(event.seq, in.Index("seq"));
  RW_ASSIGN(event.message, in.Text("message"));
  return LinkMessage(std::move(event));
}

Result<LinkMessage> ReadResult(const Fields& in) {
  RW_TRY(in.Only({"type", "trial", "success", "return", "end", "steps"}));
  TrialResult result;
  RW_ASSIGN(result.trial, in.Index("trial"));
  if (!in.At("success").is_null()) {
    if (!in.At("success").is_boolean()) return in.Wrong("success", "true, false or null");
    result.success = in.At("success").get<bool>();
  }
  if (!in.At("return").is_null()) {
    RW_ASSIGN(result.total_return, in.NumberOr("return", 0.0));
  }
  RW_ASSIGN(result.end, in.Choice<LinkTrialEnd>("end", kEnds));
  RW_ASSIGN(result.steps, in.Index("steps"));
  return LinkMessage(result);
}

Result<LinkMessage> ReadError(const Fields& in) {
  RW_TRY(in.Only({"type", "code", "about", "message"}));
  ErrorMessage error;
  RW_ASSIGN(error.code, in.Text("code"));
  RW_ASSIGN(error.about, in.Text("about"));
  RW_ASSIGN(error.message, in.Text("message"));
  return LinkMessage(std::move(error));
}

Result<LinkMessage> ReadStop(const Fields& in) {
  RW_TRY(in.Only({"type"}));
  return LinkMessage(StopMessage{});
}

Result<LinkMessage> ReadBye(const Fields& in) {
  RW_TRY(in.Only({"type"}));
  return LinkMessage(ByeMessage{});
}

using Reader = Result<LinkMessage> (*)(const Fields&);
constexpr std::array<Reader, kTypes.size()> kReaders = {
    ReadHello, ReadWelcome, ReadReset, ReadState, ReadCommand,
    ReadEvent, ReadResult,  ReadError, ReadStop,  ReadBye};

// One overload for each message that is not on the hot path: fills the fields after "type".
void Fill(OrderedJson& json, const HelloMessage& hello) {
  json["protocol"] = hello.protocol;
  json["version"] = hello.version;
  json["client"] = hello.client;
}
void Fill(OrderedJson& json, const RobotDescription& robot) {
  json["version"] = kLinkVersion;
  json["robot"] = robot.robot;
  json["channels"] = OrderedJson::array();
  for (const LinkChannel& channel : robot.channels) {
    json["channels"].push_back({{"name", channel.name}, {"unit", channel.unit}});
  }
  json["actuators"] = OrderedJson::array();
  for (const LinkActuator& actuator : robot.actuators) {
    json["actuators"].push_back({{"name", actuator.name},
                                 {"unit", actuator.unit},
                                 {"low", actuator.low},
                                 {"high", actuator.high},
                                 {"safe", actuator.safe}});
  }
  json["control_period_s"] = robot.control_period_s;
  json["clock"] = LinkName(robot.clock);
  json["watchdog_s"] = robot.watchdog_s;
  json["can_reset"] = robot.can_reset;
}
void Fill(OrderedJson& json, const ResetMessage& reset) {
  json["trial"] = reset.trial;
  json["seed"] = reset.seed;
}
void Fill(OrderedJson& json, const EventMessage& event) {
  json["kind"] = event.kind;
  json["trial"] = event.trial;
  json["seq"] = event.seq;
  json["message"] = event.message;
}
void Fill(OrderedJson& json, const TrialResult& result) {
  json["trial"] = result.trial;
  json["success"] = result.success ? OrderedJson(*result.success) : OrderedJson();
  json["return"] = result.total_return ? OrderedJson(*result.total_return) : OrderedJson();
  json["end"] = LinkName(result.end);
  json["steps"] = result.steps;
}
void Fill(OrderedJson& json, const ErrorMessage& error) {
  json["code"] = error.code;
  json["about"] = error.about;
  json["message"] = error.message;
}
void Fill(OrderedJson&, const StopMessage&) {}
void Fill(OrderedJson&, const ByeMessage&) {}

template <class Named>
Status CheckNames(std::string_view what, const std::vector<Named>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty())
      return InvalidInput(fmt::format("welcome.{}[{}].name: is empty", what, i));
    for (std::size_t k = 0; k < i; ++k) {
      if (items[k].name == items[i].name) {
        return InvalidInput(fmt::format("welcome.{}[{}].name: '{}' is already the name of [{}]",
                                        what, i, PrintableExcerpt(items[i].name), k));
      }
    }
  }
  return {};
}

Status CheckPositive(std::string_view key, double value) {
  if (std::isfinite(value) && value > 0.0) return {};
  return InvalidInput(
      fmt::format("welcome.{}: must be a finite number above 0, is {}", key, value));
}

}  // namespace

std::string_view LinkTypeName(const LinkMessage& message) { return kTypes[message.index()]; }
std::string_view LinkName(LinkTrialEnd end) { return kEnds[static_cast<std::size_t>(end)]; }
std::string_view LinkName(TrialStatus status) {
  return kStatuses[static_cast<std::size_t>(status)];
}
std::string_view LinkName(LinkClock clock) { return kClocks[static_cast<std::size_t>(clock)]; }

std::string PrintableExcerpt(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > most) shown += "...";
  return shown;
}

Status CheckDescription(const RobotDescription& robot) {
  RW_TRY(CheckNames("channels", robot.channels));
  RW_TRY(CheckNames("actuators", robot.actuators));
  for (std::size_t i = 0; i < robot.actuators.size(); ++i) {
    const LinkActuator& actuator = robot.actuators[i];
    // Written so that NaN fails too.
    if (!(actuator.low < actuator.high)) {
      return InvalidInput(fmt::format("welcome.actuators[{}] '{}': low {} must be below high {}", i,
                                      PrintableExcerpt(actuator.name), actuator.low,
                                      actuator.high));
    }
    if (!std::isfinite(actuator.safe) || actuator.safe < actuator.low ||
        actuator.safe > actuator.high) {
      return InvalidInput(fmt::format("welcome.actuators[{}] '{}': safe {} must be in [{}, {}]", i,
                                      PrintableExcerpt(actuator.name), actuator.safe, actuator.low,
                                      actuator.high));
    }
  }
  RW_TRY(CheckPositive("control_period_s", robot.control_period_s));
  return CheckPositive("watchdog_s", robot.watchdog_s);
}

std::string EncodeLink(const LinkMessage& message) {
  std::string line;
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, RobotState>) {
          AppendState(line, value);
        } else if constexpr (std::is_same_v<T, RobotCommand>) {
          AppendCommand(line, value);
        } else {
          OrderedJson json = {{"type", LinkTypeName(message)}};
          Fill(json, value);
          line = json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
        }
      },
      message);
  return line;
}

Result<LinkMessage> DecodeLink(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  Json json;
  try {
    json = Json::parse(line);
  } catch (const Json::exception&) {
    const bool not_json = line.find("NaN") != line.npos || line.find("Infinity") != line.npos;
    return InvalidInput(
        fmt::format("the line is not JSON in UTF-8: '{}'{}", PrintableExcerpt(line),
                    not_json ? " (send null for a number that is not finite)" : ""));
  }
  if (!json.is_object()) {
    return InvalidInput(fmt::format("expected an object with a 'type', got {}", Shown(json)));
  }
  if (!json.contains("type") || !json["type"].is_string()) {
    return InvalidInput(
        fmt::format("field 'type' is missing or no string in '{}'", PrintableExcerpt(line)));
  }
  const std::string type = json["type"].get<std::string>();
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  if (found == kTypes.end()) {
    return InvalidInput(UnknownName("message type", PrintableExcerpt(type), Names(kTypes)));
  }
  return kReaders[found - kTypes.begin()]({json, type});
}

}  // namespace realward
