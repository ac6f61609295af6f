#include "spec/urdf_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kRobot = R"(<?xml version="1.0"?>
<robot name="two">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 -2e-1" rpy="0 0 1.5"/>
      <mass value="+2.5"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/>
    </inertial>
    <visual><geometry><mesh filename="shown.dae"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
    <collision><geometry><mesh filename="hit.stl" scale="1e-3 1e-3 1e-3"/></geometry></collision>
  </link>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 1"/>
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="3"/>
    <dynamics damping="0.5" friction="0.25"/>
    <mimic joint="other" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="plain" type="helical"><parent link="base"/><child link="arm"/></joint>
  <mujoco><compiler discardvisual="false" meshdir="m" strippath="true"/></mujoco>
</robot>)";

TEST(UrdfText, KeepsWhatTheFileSays) {
  const auto read = ReadUrdf(WriteTestFile("two.urdf", kRobot));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->name, "two");
  ASSERT_EQ(read->links.size(), 2u);
  EXPECT_FALSE(read->links[0].inertial.has_value());
  const UrdfLink& arm = read->links[1];
  EXPECT_EQ(arm.line, 4);
  EXPECT_EQ(arm.inertial->mass, 2.5);
  EXPECT_THAT(*arm.inertial->inertia, ElementsAre(1, 2, 2.5, 0.1, 0.2, 0.3));
  EXPECT_THAT(arm.inertial->origin.xyz, ElementsAre(0.1, 0, -0.2));
  EXPECT_THAT(arm.inertial->origin.rpy, ElementsAre(0, 0, 1.5));
  EXPECT_EQ(arm.collisions, 2);
  ASSERT_EQ(arm.meshes.size(), 2u);
  EXPECT_FALSE(arm.meshes[0].collision);
  EXPECT_TRUE(arm.meshes[1].collision);
  EXPECT_EQ(arm.meshes[1].line, 12);
  EXPECT_THAT(arm.meshes[1].place.error, HasSubstr("hit.stl"));
  EXPECT_TRUE(read->compiler.keep_visual);
  EXPECT_TRUE(read->compiler.strip_path);
  EXPECT_EQ(read->compiler.mesh_folder, "m");
}

TEST(UrdfText, ReadsJointsAndTheirAbsences) {
  const auto read = ReadUrdf(WriteTestFile("two.urdf", kRobot));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->joints.size(), 2u);
  const UrdfJoint& elbow = read->joints[0];
  EXPECT_EQ(elbow.type, UrdfJointType::kRevolute);
  EXPECT_EQ(elbow.line, 14);
  EXPECT_EQ(elbow.parent, "base");
  EXPECT_EQ(elbow.child, "arm");
  EXPECT_THAT(elbow.axis, ElementsAre(0, 1, 0));
  EXPECT_EQ(elbow.limit->lower, -1.0);
  EXPECT_EQ(elbow.limit->effort, 3.0);
  EXPECT_FALSE(elbow.limit->velocity.has_value());
  EXPECT_EQ(elbow.damping, 0.5);
  EXPECT_EQ(elbow.friction, 0.25);
  EXPECT_EQ(elbow.mimic->joint, "other");
  EXPECT_EQ(elbow.mimic->multiplier, -2.0);
  EXPECT_EQ(elbow.mimic->offset, 0.5);
  const UrdfJoint& plain = read->joints[1];
  EXPECT_EQ(plain.type, UrdfJointType::kUnknown);
  EXPECT_EQ(plain.type_text, "helical");
  EXPECT_FALSE(plain.limit.has_value());
  EXPECT_FALSE(plain.mimic.has_value());
  EXPECT_THAT(plain.axis, ElementsAre(1, 0, 0));  // URDF's default
}

std::string ErrorOf(std::string_view from, std::string_view to) {
  const auto read = ReadUrdf(WriteTestFile("bad.urdf", Replaced(kRobot, from, to)));
  return read.ok() ? "" : read.error().message;
}

TEST(UrdfText, SaysWhichNumberIsNone) {
  EXPECT_THAT(ErrorOf("value=\"+2.5\"", "value=\"2,5\""),
              AllOf(HasSubstr("bad.urdf:7: link 'arm': <mass> value '2,5'"),
                    HasSubstr("not a finite number")));
  EXPECT_THAT(ErrorOf("lower=\"-1\"", "lower=\"nan\""), HasSubstr("<limit> lower 'nan'"));
  EXPECT_THAT(ErrorOf("lower=\"-1\"", "lower=\"1e999\""), HasSubstr("'1e999'"));
  EXPECT_THAT(ErrorOf("lower=\"-1\"", "lower=\"${low}\""), HasSubstr("xacro"));
  EXPECT_THAT(ErrorOf("xyz=\"0 1 0\"", "xyz=\"0 1\""), HasSubstr("three finite numbers"));
  EXPECT_THAT(ErrorOf("xyz=\"0 1 0\"", "xyz=\"0 1 0 1\""), HasSubstr("more than three"));
  EXPECT_THAT(ErrorOf("name=\"elbow\"", ""), HasSubstr("bad.urdf:14: <joint> has no 'name'"));
  EXPECT_THAT(ErrorOf("<child link=\"arm\"/>", ""), HasSubstr("needs a <parent> and a <child>"));
  EXPECT_THAT(ErrorOf("1e-3 1e-3 1e-3", "1 0 1"), HasSubstr("scale has a zero"));
  EXPECT_THAT(ErrorOf("<robot name=\"two\">", "<robot name=\"two\"><xacro:include/>"),
              HasSubstr("xacro program"));
  EXPECT_THAT(ErrorOf("<robot name=\"two\">", "<robot name=\"two\"><link name=\"\"/>"),
              AllOf(HasSubstr("<link> has no 'name'"), Not(HasSubstr("elbow"))));
}

TEST(UrdfText, ListsAllErrorsOfAFile) {
  std::string text = Replaced(kRobot, "value=\"+2.5\"", "value=\"heavy\"");
  text = Replaced(text, "effort=\"3\"", "effort=\"strong\"");
  const auto read = ReadUrdf(WriteTestFile("bad.urdf", text));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("heavy"), HasSubstr("strong")));
}

TEST(UrdfText, RefusesOtherFiles) {
  EXPECT_THAT(ReadUrdf(WriteTestFile("m.urdf", "<mujoco/>")).error().message,
              HasSubstr("begins with <robot>, this file with <mujoco>"));
  EXPECT_THAT(ReadUrdf(WriteTestFile("m.urdf", "<robot name='a'/>")).error().message,
              HasSubstr("no links"));
}

}  // namespace
}  // namespace realward
