#include "logs/finding.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace realward {
namespace {

Finding Gap(std::size_t sample, Severity severity = Severity::kWarning) {
  Finding finding;
  finding.kind = FindingKind::kGap;
  finding.severity = severity;
  finding.first = sample;
  finding.last = sample + 1;
  finding.time_s = 0.5;
  finding.line = sample + 2;
  finding.message = "a step of 0.1 s";
  finding.action = "the log is cut here";
  finding.repair = severity == Severity::kError ? Repair::kNone : Repair::kCut;
  return finding;
}

TEST(Finding, TextAndJsonSayWhereAndWhat) {
  const Finding finding = Gap(7);
  EXPECT_EQ(ToText(finding), "warning gap at 0.5 s (line 9): a step of 0.1 s; the log is cut here");
  const Json json = ToJson(finding);
  EXPECT_EQ(json["kind"], "gap");
  EXPECT_EQ(json["first"], 7);
  EXPECT_EQ(json["repair"], "cut");
  Finding plain;
  plain.message = "m";
  EXPECT_FALSE(ToJson(plain).contains("first"));
}

TEST(Finding, NamesAreDistinct) {
  std::set<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kClipped); ++kind) {
    names.insert(Name(static_cast<FindingKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(FindingKind::kClipped) + 1);
  EXPECT_EQ(names.count("?"), 0u);
}

TEST(FindingList, LeavesOutBeyondTheMostAndCountsThem) {
  FindingList list(3);
  for (std::size_t i = 0; i < 10; ++i) list.Add(Gap(i));
  const auto findings = list.Take();
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_NE(findings[3].message.find("and 6 more"), std::string::npos) << findings[3].message;
  EXPECT_EQ(Worst(findings), Severity::kWarning);
}

TEST(FindingList, AnErrorAmongThoseLeftOutIsNotHidden) {
  FindingList list(1);
  list.Add(Gap(0));
  list.Add(Gap(1));
  list.Add(Gap(2, Severity::kError));
  list.Add(Gap(3));
  const auto findings = list.Take();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1].severity, Severity::kError);
  EXPECT_EQ(findings[1].repair, Repair::kNone);
}

}  // namespace
}  // namespace realward
