#include "spec/urdf_mass.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/inertia.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

UrdfLink Link(const std::string& name) {
  UrdfLink link;
  link.name = name;
  return link;
}
UrdfLink Heavy(const std::string& name, double mass, InertiaTensor inertia) {
  UrdfLink link = Link(name);
  link.inertial = UrdfInertial{.mass = mass, .inertia = inertia};
  return link;
}
UrdfJoint Joint(UrdfJointType type, const std::string& parent, const std::string& child) {
  UrdfJoint joint;
  joint.name = parent + "_" + child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  return joint;
}
std::vector<std::string> NamesWithoutMass(const UrdfModel& urdf) {
  std::vector<std::string> names;
  for (const int i : LinksWithoutMass(urdf)) names.push_back(urdf.links[i].name);
  return names;
}

constexpr auto kHinge = UrdfJointType::kRevolute;
constexpr auto kWeld = UrdfJointType::kFixed;

// root -hinge- a -hinge- b -weld- c -weld- d(2 kg) -hinge- e -weld- f
UrdfModel Chain() {
  UrdfModel urdf;
  urdf.links = {Link("f"), Link("root"), Link("a"),
                Link("b"), Link("c"),    Heavy("d", 2.0, Isotropic(0.02)),
                Link("e")};
  urdf.joints = {Joint(kWeld, "e", "f"), Joint(kHinge, "root", "a"), Joint(kHinge, "a", "b"),
                 Joint(kWeld, "b", "c"), Joint(kWeld, "c", "d"),     Joint(kHinge, "d", "e")};
  return urdf;
}

TEST(UrdfMass, NamesAllLinksAtOnceAndNoneThatAWeldFills) {
  EXPECT_THAT(NamesWithoutMass(Chain()), ElementsAre("a", "e"));
  UrdfModel geometry = Chain();
  geometry.links[2].collisions = 1;
  EXPECT_THAT(NamesWithoutMass(geometry), ElementsAre("a", "e"));  // no mass is invented
  geometry.compiler.inertia_from_geometry = true;                  // but where the file asks for it
  EXPECT_THAT(NamesWithoutMass(geometry), ElementsAre("e"));
}

TEST(UrdfMass, LoopsAndUnknownNamesEnd) {
  UrdfModel urdf;
  urdf.links = {Link("a"), Link("b"), Link("c"), Link("a")};
  urdf.joints = {Joint(kWeld, "a", "b"), Joint(kWeld, "b", "a"), Joint(kWeld, "b", "c"),
                 Joint(kWeld, "c", "c"), Joint(kHinge, "x", "y")};
  EXPECT_THAT(NamesWithoutMass(urdf), IsEmpty());
}

TEST(UrdfMass, FillsRelativeToTheMovingMass) {
  UrdfModel urdf = Chain();
  urdf.links.push_back(Heavy("table", 500.0, Isotropic(50)));  // does not move
  const auto repairs = FillMasses(urdf, false);
  EXPECT_EQ(repairs.size(), 4u);  // mass and inertia of two links
  EXPECT_THAT(LinksWithoutMass(urdf), IsEmpty());
  EXPECT_THAT(CheckMasses(urdf), IsEmpty());
  const UrdfInertial& a = *urdf.links[2].inertial;
  EXPECT_NEAR(*a.mass, 2.0 * kFilledMassShare / 2, 1e-15);
  EXPECT_NEAR((*a.inertia)[0] / *a.mass, 0.01, 1e-12);  // gyration radius² of d
  EXPECT_THAT(ToText(repairs[0]), HasSubstr("link 'a': mass: none -> 0.0005 kg"));
}

TEST(UrdfMass, WhatHasNoScaleIsNotFilled) {
  UrdfModel urdf = Chain();
  urdf.links[5].inertial.reset();
  EXPECT_THAT(FillMasses(urdf, false), IsEmpty());
  EXPECT_EQ(CheckMasses(urdf).size(), 3u);  // a, b, e
}

TEST(UrdfMass, ReportsMassesAndInertiasThatNoBodyHas) {
  UrdfModel urdf = Chain();
  urdf.links[2] = Heavy("a", -1.0, Isotropic(0.1));
  urdf.links[6] = Heavy("e", 1.0, {0.01, 0.01, 0.03, 0, 0, 0});
  urdf.links.push_back(Heavy("g", 0.2, {0, 0, 0, 0, 0, 0}));
  urdf.joints.push_back(Joint(kHinge, "e", "g"));
  const auto findings = CheckMasses(urdf);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings[0].message, HasSubstr("mass of 0.2 kg, but no inertia"));
  EXPECT_THAT(findings[1].message, HasSubstr("-1 kg; a mass is positive"));
  EXPECT_THAT(findings[2].message, HasSubstr("0.03 kg m^2 is above the sum of the others"));
  EXPECT_EQ(FillMasses(urdf, true).size(), 0u);
  EXPECT_EQ(FillMasses(urdf, false).size(), 2u);
  EXPECT_LT(TriangleExcess(*urdf.links[6].inertial->inertia), 0.0);
  EXPECT_EQ(*urdf.links.back().inertial->mass, 0.2);  // a given mass stays
  ASSERT_EQ(CheckMasses(urdf).size(), 1u);            // a negative mass is nobody's to guess
  EXPECT_THAT(CheckMasses(urdf)[0].object, HasSubstr("'a'"));
}

TEST(UrdfMass, RoundsBackWhatPrintedDigitsBroke) {
  UrdfModel urdf = Chain();
  urdf.links[6] = Heavy("e", 1.0, {0.01, 0.01, 0.020000001, 0, 0, 0});
  urdf.links[2] = Heavy("a", 1.0, {0.01, 0.01, 0.01, 0, 0, 0});
  EXPECT_EQ(FillMasses(urdf, true).size(), 1u);
  EXPECT_THAT(CheckMasses(urdf), IsEmpty());
}

}  // namespace
}  // namespace realward
