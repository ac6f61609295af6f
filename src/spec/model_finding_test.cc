#include "spec/model_finding.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

TEST(ModelFinding, SaysPlaceSeverityObjectAndMessage) {
  const ModelFinding finding{ModelSeverity::kWarning, "joint 'elbow'", "effort is 0", 12};
  EXPECT_EQ(ToText(finding, "r.urdf"), "r.urdf:12: warning: joint 'elbow': effort is 0");
  EXPECT_EQ(ToText(ModelFinding{ModelSeverity::kNote, "", "no robot", 0}, "r.urdf"),
            "r.urdf: note: no robot");
  EXPECT_EQ(ToJson(finding)["line"], 12);
  EXPECT_EQ(ToJson(finding)["severity"], "warning");
  EXPECT_FALSE(ToJson(ModelFinding{}).contains("line"));
  const ModelRepair repair{"link 'a'", "mass", "none", "0.1 kg"};
  EXPECT_EQ(ToText(repair), "link 'a': mass: none -> 0.1 kg");
  EXPECT_EQ(ToJson(repair)["after"], "0.1 kg");
}

TEST(ModelFinding, OnlyErrorsAreErrors) {
  EXPECT_FALSE(HasErrors({}));
  EXPECT_FALSE(
      HasErrors({{ModelSeverity::kWarning, "", "", 0}, {ModelSeverity::kNote, "", "", 0}}));
  EXPECT_TRUE(HasErrors({{ModelSeverity::kNote, "", "", 0}, {ModelSeverity::kError, "", "", 0}}));
}

}  // namespace
}  // namespace realward
