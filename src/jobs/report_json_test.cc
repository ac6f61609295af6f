#include "jobs/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/report_sample.h"

namespace realward {
namespace {

TEST(ReportJson, HoldsThePagesNumbersAndNullForTheUndefined) {
  LoopReport report = SampleReport();
  const Json json = ReportJson(report);
  ASSERT_EQ(json["scores"].size(), report.scores.size());
  EXPECT_EQ(json["scores"][0]["successes"], report.scores[0].successes);
  EXPECT_EQ(json["scores"][0]["success"]["low"], report.scores[0].success.low);
  EXPECT_EQ(json["source"], SourceSentence(report.source));
  EXPECT_EQ(json["comparisons"].size(), report.comparisons.size());
  EXPECT_EQ(json["fit"]["parameters"].size(), report.fit->parameters.size());
  report.scores[0].success = {kUndefined, kUndefined, kUndefined, "not measured"};
  EXPECT_TRUE(ReportJson(report)["scores"][0]["success"]["value"].is_null());
  EXPECT_EQ(ReportJson(report)["scores"][0]["success"]["why"], "not measured");
}

TEST(ReportTable, NamesSourcePoliciesSuitesAndVerdict) {
  const LoopReport report = SampleReport();
  const std::string table = ReportTable(report);
  EXPECT_EQ(table.find(SourceSentence(report.source)), 0u);
  for (const ReportPolicy& policy : report.policies)
    EXPECT_THAT(table, testing::HasSubstr(policy.name));
  for (const ReportSuite& suite : report.suites) EXPECT_THAT(table, testing::HasSubstr(suite.name));
  EXPECT_THAT(table, testing::HasSubstr("recommended: "));
}

}  // namespace
}  // namespace realward
