#include "spec/urdf_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRobot = R"(<robot name="r">
  <link name="base"/>
  <link name="arm"/>
  <link name="hand"/>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="hand"/>
    <limit lower="0" upper="0.1" effort="3" velocity="4"/></joint>
</robot>)";

std::string Findings(const std::string& text) {
  const auto urdf = ReadUrdf(WriteTestFile("r.urdf", text));
  if (!urdf.ok()) return urdf.error().message;
  std::string lines;
  for (const ModelFinding& finding : CheckUrdf(*urdf)) lines += ToText(finding, "r.urdf") + "\n";
  return lines;
}
std::string After(std::string_view from, std::string_view to) {
  return Findings(Replaced(kRobot, from, to));
}

TEST(UrdfCheck, AGoodRobotHasNoFindings) { EXPECT_EQ(Findings(kRobot), ""); }

TEST(UrdfCheck, Limits) {
  EXPECT_THAT(After("lower=\"-1\" upper=\"2\"", "lower=\"2\" upper=\"-1\""),
              AllOf(HasSubstr("r.urdf:6: error: joint 'elbow'"), HasSubstr("lower 2 is above"),
                    HasSubstr("upper -1 rad")));
  EXPECT_THAT(After("lower=\"-1\" upper=\"2\"", ""), HasSubstr("locked at 0"));
  EXPECT_THAT(After("lower=\"-1\" upper=\"2\"", "lower=\"1\" upper=\"1\""),
              HasSubstr("warning: joint 'elbow': its range has no width"));
  EXPECT_THAT(After("lower=\"-1\" upper=\"2\"", "lower=\"1\" upper=\"2\""),
              HasSubstr("leaves out 0"));
  EXPECT_THAT(After("upper=\"2\"", "upper=\"45\""), HasSubstr("look like degrees"));
  EXPECT_EQ(After("upper=\"0.1\"", "upper=\"45\""), "");  // metres
  EXPECT_THAT(After("effort=\"3\"", "effort=\"0\""), HasSubstr("cannot be driven"));
  EXPECT_THAT(After("effort=\"3\"", ""), HasSubstr("has no effort"));
  EXPECT_THAT(After("effort=\"3\"", "effort=\"-3\""),
              HasSubstr("error: joint 'elbow': its effort"));
  EXPECT_THAT(After("velocity=\"4\"", "velocity=\"0\""), HasSubstr("velocity limit is 0"));
  EXPECT_THAT(After("<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>", ""),
              HasSubstr("warning: joint 'elbow': a revolute joint needs a <limit>"));
  // A continuous joint turns for ever: neither a limit nor a lower and upper is asked of it.
  const std::string turning = Replaced(kRobot, "\"revolute\"", "\"continuous\"");
  EXPECT_EQ(Findings(Replaced(turning, "lower=\"-1\" upper=\"2\"", "")), "");
  EXPECT_EQ(Findings(Replaced(turning,
                              "<limit lower=\"-1\" upper=\"2\" effort=\"3\" "
                              "velocity=\"4\"/>",
                              "")),
            "");
}

TEST(UrdfCheck, DegreesAreToldFromManyTurns) {
  EXPECT_TRUE(LooksLikeDegrees(-90, 90));
  EXPECT_TRUE(LooksLikeDegrees(0, 12));
  EXPECT_TRUE(LooksLikeDegrees(-22.5, 10));
  EXPECT_FALSE(LooksLikeDegrees(-6.2832, 6.2832));
  EXPECT_FALSE(LooksLikeDegrees(-12.566, 12.566));
  EXPECT_FALSE(LooksLikeDegrees(-1, 2));
}

TEST(UrdfCheck, TheTree) {
  EXPECT_THAT(After("<child link=\"hand\"/>", "<child link=\"hend\"/>"),
              AllOf(HasSubstr("its child 'hend' is no link; nearest: hand"),
                    HasSubstr("2 links have no joint above them ('base', 'hand')")));
  EXPECT_THAT(After("<child link=\"hand\"/>", "<child link=\"arm\"/>"),
              HasSubstr("link 'arm' hangs on joint 'elbow' already"));
  EXPECT_THAT(After("<parent link=\"base\"/>", "<parent link=\"hand\"/>"),
              HasSubstr("above and below itself"));
  EXPECT_THAT(After("<parent link=\"base\"/>", "<parent link=\"arm\"/>"),
              HasSubstr("above and below itself"));
  EXPECT_THAT(After("\"prismatic\"", "\"helical\""), HasSubstr("its type is 'helical'"));
  EXPECT_THAT(After("\"revolute\"", "\"floating\""), HasSubstr("needs the parent 'world'"));
  EXPECT_THAT(After("xyz=\"0 1 0\"", "xyz=\"0 0 0\""), HasSubstr("an axis has a direction"));
  EXPECT_THAT(After("name=\"hand\"/>", "name=\"hand\"/><link name=\"arm\"/><link name=\"arm\"/>"),
              HasSubstr("link 'arm': the name is there 3 times (lines 3, 4, 4)"));
  EXPECT_THAT(After("name=\"grip\"", "name=\"elbow\""),
              HasSubstr("joint 'elbow': the name is there 2 times (lines 5, 7)"));
  EXPECT_THAT(After("<axis", "<origin xyz='0 0 1' rpy='0 0 90'/><axis"),
              HasSubstr("rpy 0 0 90, more than a turn"));
  EXPECT_THAT(After("<axis", "<dynamics damping='-1'/><axis"), HasSubstr("damping is -1"));
}

std::string WithMimic(const std::string& elbow, const std::string& grip) {
  return Replaced(Replaced(kRobot, "<axis", elbow + "<axis"), "<child link=\"hand\"/>",
                  "<child link=\"hand\"/>" + grip);
}
std::vector<bool> Usable(const std::string& text) {
  return UsableMimics(*ReadUrdf(WriteTestFile("r.urdf", text)));
}

TEST(UrdfCheck, Mimics) {
  const std::string good = WithMimic("", "<mimic joint='elbow' multiplier='0.03' offset='0.03'/>");
  EXPECT_EQ(Findings(good), "");
  EXPECT_THAT(Usable(good), ElementsAre(false, true));
  const std::string missing = WithMimic("", "<mimic joint='elbo'/>");
  EXPECT_THAT(Findings(missing), AllOf(HasSubstr("warning: joint 'grip': mimics joint 'elbo'"),
                                       HasSubstr("nearest: elbow"), HasSubstr("ordinary joint")));
  EXPECT_THAT(Usable(missing), ElementsAre(false, false));
  const std::string loop = WithMimic("<mimic joint='grip'/>", "<mimic joint='elbow'/>");
  EXPECT_THAT(Findings(loop), HasSubstr("follows it in turn"));
  EXPECT_THAT(Usable(loop), ElementsAre(false, false));
  EXPECT_THAT(Findings(WithMimic("", "<mimic joint='grip'/>")), HasSubstr("follows it in turn"));
  EXPECT_THAT(Findings(WithMimic("", "<mimic joint='elbow'/>")),
              HasSubstr("follows 'elbow' over -1 to 2, beyond its own limits 0 to 0.1"));
}

TEST(UrdfCheck, Meshes) {
  const std::string shape =
      "<link name=\"base\"><{0}><geometry><mesh filename='{1}'/></geometry></{0}></link>";
  const auto with = [&](const char* kind, const std::string& file) {
    return After("<link name=\"base\"/>", fmt::format(fmt::runtime(shape), kind, file));
  };
  EXPECT_THAT(with("collision", "gone.stl"),
              AllOf(HasSubstr("r.urdf:2: error: link 'base'"), HasSubstr("gone.stl")));
  EXPECT_THAT(with("visual", "gone.dae"), HasSubstr("note: link 'base'"));
  WriteTestFile("there.stl", "x");
  WriteTestFile("there.dae", "x");
  EXPECT_EQ(with("collision", "there.stl"), "");
  EXPECT_EQ(with("visual", "there.dae"), "");
  EXPECT_THAT(with("collision", "there.dae"), HasSubstr("valid: .stl, .obj or .msh"));
}

}  // namespace
}  // namespace realward
