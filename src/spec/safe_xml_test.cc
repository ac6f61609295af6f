#include "spec/safe_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string ErrorOf(std::string text) {
  const auto file = XmlFile::Parse(std::move(text), "robot.urdf");
  return file.ok() ? "" : file.error().message;
}

TEST(SafeXml, KnowsTheLineOfANode) {
  const auto file =
      XmlFile::Parse("<robot>\n  <!-- a\n comment -->\n  <link name='a'/></robot>", "x");
  ASSERT_TRUE(file.ok());
  const pugi::xml_node robot = file->document().child("robot");
  EXPECT_EQ(file->LineOf(robot), 1);
  EXPECT_EQ(file->LineOf(robot.child("link")), 4);
}

TEST(SafeXml, RefusesDeclarations) {
  EXPECT_THAT(
      ErrorOf("<?xml version='1.0'?>\n<!DOCTYPE robot SYSTEM 'file:///etc/passwd'>\n<robot/>"),
      AllOf(HasSubstr("robot.urdf:2"), HasSubstr("document type")));
  EXPECT_THAT(ErrorOf("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot>&b;</robot>"),
              HasSubstr("entity"));
  // The same words where they declare nothing.
  EXPECT_EQ(ErrorOf("<robot><!-- <!DOCTYPE x> --><![CDATA[<!ENTITY a 'b'>]]></robot>"), "");
  // An unknown entity stays text.
  const auto file = XmlFile::Parse("<robot name='&b;'/>", "x");
  ASSERT_TRUE(file.ok());
  EXPECT_STREQ(file->document().child("robot").attribute("name").value(), "&b;");
}

TEST(SafeXml, RefusesDepthAndSize) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_EQ(ErrorOf(nested(kMostXmlDepth)), "");
  EXPECT_THAT(ErrorOf(nested(kMostXmlDepth + 1)), HasSubstr("deeper than 200"));
  EXPECT_THAT(ErrorOf(nested(1'000'000)), HasSubstr("deeper than 200"));
  EXPECT_THAT(ErrorOf(std::string(kMostXmlBytes + 1, ' ')), HasSubstr("at most 64 MiB"));
}

TEST(SafeXml, SaysWhereAndWhatIsNoXml) {
  EXPECT_THAT(ErrorOf("<robot>\n<link>\n</robot>"),
              HasSubstr("robot.urdf:3: is no well-formed XML"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("no well-formed XML"));
  const auto absent = XmlFile::Load("/nowhere/robot.urdf");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(absent.error().message, HasSubstr("/nowhere/robot.urdf"));
}

}  // namespace
}  // namespace realward
