#include "spec/model_import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kInertial =
    R"(<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>)";

std::string Urdf(const std::string& inside) {
  return fmt::format(R"(<robot name="r"><link name="base">{0}</link><link name="arm">{0}</link>
    <link name="flange"/>
    <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
    <joint name="mount" type="fixed"><parent link="arm"/><child link="flange"/>
      <origin xyz="0 0 0.3"/></joint>{1}</robot>)",
                     kInertial, inside);
}

std::string Refusal(const std::string& name, const std::string& text) {
  const auto model = ImportModel(WriteTestFile(name, text));
  return model.ok() ? "accepted" : model.error().message;
}

// What was written into the model is what the file says.
TEST(ModelImport, AUrdfKeepsEveryFrameAndGetsAMotorPerJoint) {
  const auto import = InspectModel(WriteTestFile("r.urdf", Urdf("")));
  ASSERT_TRUE(import.ok()) << import.error().message;
  EXPECT_TRUE(import->findings.empty());
  const mjModel& m = *import->model;
  const int flange = mj_name2id(&m, mjOBJ_BODY, "flange");
  ASSERT_GE(flange, 0);
  EXPECT_DOUBLE_EQ(m.body_pos[3 * flange + 2], 0.3);
  ASSERT_EQ(m.nu, 1);
  EXPECT_EQ(ObjectNames(m, mjOBJ_ACTUATOR)[0], "elbow");
  EXPECT_EQ(m.actuator_ctrlrange[1], 3.0);
  ASSERT_EQ(import->repairs.size(), 1u);
  EXPECT_THAT(ToText(import->repairs[0]), AllOf(HasSubstr("elbow"), HasSubstr("±3 N*m")));
}

TEST(ModelImport, AJointThatHasNoEffortCannotBeDriven) {
  std::string text = Urdf("");
  const auto zero =
      InspectModel(WriteTestFile("r.urdf", Replaced(text, "effort=\"3\"", "effort=\"0\"")));
  ASSERT_TRUE(zero.ok());
  ASSERT_EQ(zero->findings.size(), 1u);
  EXPECT_THAT(ToText(zero->findings[0], "r"), AllOf(HasSubstr("elbow"), HasSubstr("effort")));
  ASSERT_NE(zero->model, nullptr) << "a warning";
  EXPECT_EQ(zero->model->nu, 0);
}

TEST(ModelImport, FilledMassesAreInTheModelAndInTheList) {
  const std::string text = Urdf(
      R"(<link name="tip"/><joint name="slide" type="prismatic"><parent link="flange"/>
         <child link="tip"/><limit lower="0" upper="1" effort="2" velocity="1"/></joint>)");
  const std::string path = WriteTestFile("r.urdf", text);
  EXPECT_THAT(Refusal("r.urdf", text), HasSubstr("link 'tip'"));
  const auto import = InspectModel(path, {.fill_masses = true});
  ASSERT_TRUE(import.ok()) << import.error().message;
  ASSERT_NE(import->model, nullptr);
  const mjModel& m = *import->model;
  const double mass = m.body_mass[mj_name2id(&m, mjOBJ_BODY, "tip")];
  EXPECT_GT(mass, 0.0);
  EXPECT_LT(mass, 1e-3);
  std::string repairs;
  for (const ModelRepair& repair : import->repairs) repairs += ToText(repair) + "\n";
  EXPECT_THAT(repairs, AllOf(HasSubstr("tip"), HasSubstr(fmt::format("{:.3g}", mass))));
}

TEST(ModelImport, ReadsAMeshOfAPackage) {
  const std::string folder = testing::TempDir() + "/ws/hand_description";
  std::filesystem::create_directories(folder + "/meshes");
  {
    std::ofstream(folder + "/package.xml") << "<package><name>hand_description</name></package>";
    std::ofstream mesh(folder + "/meshes/tet.obj");
    mesh << "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  }
  const std::string shape =
      R"(<collision><geometry><mesh filename="package://hand_description/meshes/tet.obj"/></geometry></collision>)";
  const std::string text =
      Replaced(Urdf(""), "<link name=\"flange\"/>", "<link name=\"flange\">" + shape + "</link>");
  const std::string path = WriteTestFile("meshed.urdf", text);
  const auto import = InspectModel(path, {.packages = {testing::TempDir() + "/ws"}});
  ASSERT_TRUE(import.ok()) << import.error().message;
  std::string findings;
  for (const auto& finding : import->findings) findings += ToText(finding, "f") + "\n";
  ASSERT_NE(import->model, nullptr) << findings;
  EXPECT_EQ(import->model->nmesh, 1);
  EXPECT_THAT(Refusal("m.urdf", Replaced(text, "tet.obj", "tat.obj")), HasSubstr("tat.obj"));
}

TEST(ModelImport, RefusesABomb) {
  std::string deep = "<robot name=\"r\">";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_THAT(Refusal("deep.urdf", deep), HasSubstr("deep"));
  EXPECT_THAT(
      Refusal("entity.urdf", "<!DOCTYPE robot [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>" +
                                 Urdf("<link name=\"&x;\"/>")),
      HasSubstr("entity declaration"));
  const std::string mesh = "<link name=\"m\"><collision><geometry><mesh filename=\"" +
                           std::string(100000, 'a') +
                           ".stl\"/></geometry></collision></link><joint name=\"w\" type=\"fixed\">"
                           "<parent link=\"base\"/><child link=\"m\"/></joint>";
  const std::string refusal = Refusal("mesh.urdf", Urdf(mesh));
  EXPECT_THAT(refusal, HasSubstr("mesh"));
  EXPECT_LT(refusal.size(), 2000u) << "a message does not repeat the bomb";
  EXPECT_THAT(Refusal("entity.xml", "<!DOCTYPE mujoco [<!ENTITY a \"b\">]><mujoco/>"),
              HasSubstr("entity declaration"));
}

TEST(ModelImport, NamesWhatIsNoModel) {
  EXPECT_THAT(Refusal("sdf.xml", "<sdf version=\"1.7\"/>"),
              AllOf(HasSubstr("<sdf>"), HasSubstr("<mujoco>"), HasSubstr("<robot>")));
  EXPECT_THAT(ImportModel("/nowhere/r.urdf").error().message, HasSubstr("/nowhere/r.urdf"));
  EXPECT_THAT(Refusal("bad.xml", "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"),
              HasSubstr("does not compile"));
}

TEST(ModelImport, ASuspiciousRangeIsAWarningAndAGoodOneIsNot) {
  const auto findings = [](const char* joint, const char* control) {
    const auto model =
        std::move(
            LoadModelText(fmt::format(
                R"(<mujoco><compiler angle="radian"/><worldbody><body><joint name="j" range="{}"/>
            <geom size=".1"/></body></worldbody>
            <actuator><position name="s" joint="j" kp="5" ctrlrange="{}"/></actuator></mujoco>)",
                joint, control)))
            .value();
    std::string text;
    for (const ModelFinding& finding : CheckCompiled(*model)) text += ToText(finding, "m") + "\n";
    return text;
  };
  EXPECT_EQ(findings("-0.9 0.6", "-0.9 0.6"), "");
  EXPECT_EQ(findings("-0.9 0.6", "-2 2"), "");
  EXPECT_THAT(findings("-0.9 0.6", "-50 35"), HasSubstr("actuator 's'"));
  EXPECT_THAT(findings("-90 90", "-90 90"), HasSubstr("joint 'j'"));
}

}  // namespace
}  // namespace realward
