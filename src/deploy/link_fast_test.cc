#include "deploy/link_fast.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/hash.h"

namespace realward {
namespace {

std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) ? !std::isnan(b[i]) : Bits(a[i]) != Bits(b[i])) return false;
  }
  return true;
}

// Any bit pattern: subnormals, huge and tiny values, both zeros. Infinities have no form on the
// wire.
rc::Gen<double> AnyDouble() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t x) {
    // Arbitrary integers favour small ones; the multiplication spreads them over all exponents.
    const double value = std::bit_cast<double>(x * 0x9E3779B97F4A7C15u);
    return std::isinf(value) ? -0.0 : value;
  });
}

rc::Gen<std::int64_t> Index() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                      [](std::uint64_t x) { return static_cast<std::int64_t>(x >> 1); });
}

rc::Gen<RobotState> AnyState() {
  return rc::gen::build<RobotState>(
      rc::gen::set(&RobotState::trial, Index()), rc::gen::set(&RobotState::seq, Index()),
      rc::gen::set(&RobotState::t_s,
                   rc::gen::suchThat(AnyDouble(), [](double t) { return !std::isnan(t); })),
      rc::gen::set(&RobotState::command_seq,
                   rc::gen::oneOf(rc::gen::just<std::int64_t>(-1), Index())),
      rc::gen::set(&RobotState::status,
                   rc::gen::element(TrialStatus::kOk, TrialStatus::kEnded, TrialStatus::kStopped)),
      rc::gen::set(&RobotState::values, rc::gen::container<std::vector<double>>(AnyDouble())));
}

bool Same(const RobotState& a, const RobotState& b) {
  return a.trial == b.trial && a.seq == b.seq && Bits(a.t_s) == Bits(b.t_s) &&
         a.command_seq == b.command_seq && a.status == b.status && SameBits(a.values, b.values);
}

bool Same(const RobotCommand& a, const RobotCommand& b) {
  return a.trial == b.trial && a.seq == b.seq && Bits(a.t_s) == Bits(b.t_s) &&
         SameBits(a.values, b.values);
}

std::string WithoutNewline(std::string line) {
  EXPECT_TRUE(!line.empty() && line.back() == '\n');
  line.pop_back();
  return line;
}

RC_GTEST_PROP(LinkFast, StatesComeBackBitForBitThroughBothReaders, ()) {
  const RobotState state = *AnyState();
  std::string line;
  AppendState(line, state);
  line = WithoutNewline(line);
  RobotState fast;
  RC_ASSERT(FastReadState(line, fast));
  RC_ASSERT(Same(fast, state));
  const auto slow = DecodeLink(line);
  RC_ASSERT(slow.ok());
  RC_ASSERT(Same(std::get<RobotState>(*slow), state));
}

RC_GTEST_PROP(LinkFast, CommandsComeBackBitForBitThroughBothReaders, ()) {
  const RobotState source = *AnyState();
  const RobotCommand command{source.trial, source.seq, source.t_s, source.values};
  std::string line;
  AppendCommand(line, command);
  line = WithoutNewline(line);
  RobotCommand fast;
  RC_ASSERT(FastReadCommand(line, fast));
  RC_ASSERT(Same(fast, command));
  const auto slow = DecodeLink(line);
  RC_ASSERT(slow.ok());
  RC_ASSERT(Same(std::get<RobotCommand>(*slow), command));
}

// The JSON tree is the judge: whatever the fast readers accept, it accepts with the same content.
RC_GTEST_PROP(LinkFast, NothingIsAcceptedThatTheJsonReaderRefuses, ()) {
  std::string line;
  AppendState(line, *AnyState());
  line = WithoutNewline(line);
  const auto edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits && !line.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    const char c = *rc::gen::oneOf(rc::gen::elementOf(std::string("0123456789+-.eE,[]{}\":naiN ")),
                                   rc::gen::arbitrary<char>());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        line[at] = c;
        break;
      case 1:
        line.insert(at, 1, c);
        break;
      default:
        line.erase(at, 1);
    }
  }
  RobotState fast;
  const auto slow = DecodeLink(line);
  if (FastReadState(line, fast)) {
    RC_ASSERT(slow.ok());
    RC_ASSERT(Same(std::get<RobotState>(*slow), fast));
  }
  RobotCommand command;
  RC_ASSERT(!FastReadCommand(line, command));
}

TEST(LinkFast, NumbersThatOnlyLookLikeJsonAreRefused) {
  const auto line = [](const std::string& number) {
    return R"({"type":"command","trial":1,"seq":2,"t_s":0,"values":[)" + number + "]}";
  };
  RobotCommand command;
  for (const char* good :
       {"0", "-0", "-0.0", "1e5", "1E+5", "-1.5e-3", "123456789012345678901234", "null"}) {
    ASSERT_TRUE(FastReadCommand(line(good), command)) << good;
    const auto slow = DecodeLink(line(good));
    ASSERT_TRUE(slow.ok()) << good;
    EXPECT_TRUE(Same(std::get<RobotCommand>(*slow), command)) << good;
  }
  for (const char* bad : {"inf", "nan", "NaN", "Infinity", "01", "-01", ".5", "5.", "+1", "1e",
                          "1e+", "-", "0x1", "1e999", "1,", ",", "1 2", "nulls", "\"1\""}) {
    EXPECT_FALSE(FastReadCommand(line(bad), command)) << bad;
    EXPECT_FALSE(DecodeLink(line(bad)).ok()) << bad;
  }
}

TEST(LinkFast, ZerosKeepTheirSignAndNonFiniteBecomesNull) {
  std::string text;
  for (const double value : {0.0, -0.0, 0.1, -1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    AppendNumber(text, value);
    text += ' ';
  }
  EXPECT_EQ(text, "0 -0.0 0.1 -1e+300 null null ");
}

// The order of fields and white space are free; only the fast path is not taken.
TEST(LinkFast, OtherSpellingsAreLeftToTheJsonReader) {
  const std::string other =
      R"({ "values": [1.5], "t_s": 0.5, "seq": 7, "trial": 3, "type": "command" })";
  RobotCommand command;
  EXPECT_FALSE(FastReadCommand(other, command));
  const auto slow = DecodeLink(other);
  ASSERT_TRUE(slow.ok()) << slow.error().message;
  EXPECT_TRUE(Same(std::get<RobotCommand>(*slow), RobotCommand{3, 7, 0.5, {1.5}}));
}

}  // namespace
}  // namespace realward
