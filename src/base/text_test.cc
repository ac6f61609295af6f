#include "base/text.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

TEST(Text, EditDistance) {
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("hinge", "hnige"), 1);  // swap of neighbours
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("Hip", "hip"), 0);
}

TEST(Text, NearestNamesFirst) {
  EXPECT_EQ(NearestNames("torso_lnk", {"floor", "torso_geom", "torso_link"}).front(), "torso_link");
  EXPECT_EQ(NearestNames("xyz", {"alpha", "beta"}).size(), 2u);  // nothing near: what there is
}

TEST(Text, Messages) {
  EXPECT_EQ(JoinChoices({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(UnknownName("joint", "hinje", {"hinge", "slider"}),
            "unknown joint 'hinje'; nearest valid: hinge");
}

TEST(Text, Globs) {
  EXPECT_TRUE(GlobMatch("*", ""));
  EXPECT_TRUE(GlobMatch("arm_*_1", "arm_joint_1"));
  EXPECT_TRUE(GlobMatch("a?c*", "abcdef"));
  EXPECT_TRUE(GlobMatch("*a*b", "xxaxxab"));
  EXPECT_FALSE(GlobMatch("arm_*_1", "arm_joint_2"));
  EXPECT_FALSE(GlobMatch("", "a"));
}

}  // namespace
}  // namespace realward
