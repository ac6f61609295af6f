#include "spec/mesh_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "spec/test_files.h"

namespace realward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A workspace as people have it: packages beside each other, the description inside one.
struct Workspace {
  explicit Workspace(const std::string& test) {
    root = testing::TempDir() + "rw_mesh_path_" + test;
    std::filesystem::remove_all(root);
    for (const char* folder : {"/src/arm/urdf", "/src/arm/meshes", "/src/hand/meshes"})
      EXPECT_TRUE(MakeFolders(root + folder).ok());
    for (const char* file :
         {"/src/arm/meshes/a.stl", "/src/hand/meshes/h.stl", "/src/arm/urdf/beside.stl"})
      EXPECT_TRUE(WriteFileAtomic(root + file, "mesh").ok());
    search.folder = root + "/src/arm/urdf";
  }
  std::string root;
  MeshSearch search;
};

TEST(MeshPath, ResolvesWhatRobotsUse) {
  const Workspace w("resolves");
  const std::string arm = w.root + "/src/arm/meshes/a.stl";
  EXPECT_EQ(FindMesh("package://arm/meshes/a.stl", w.search).path, arm);
  EXPECT_EQ(FindMesh("model://arm/meshes/a.stl", w.search).path, arm);
  EXPECT_EQ(FindMesh("package://hand/meshes/h.stl", w.search).path,
            w.root + "/src/hand/meshes/h.stl");
  EXPECT_EQ(FindMesh("../meshes/a.stl", w.search).path, arm);
  EXPECT_EQ(FindMesh("file://" + arm, w.search).path, arm);
  EXPECT_EQ(FindMesh(arm, w.search).path, arm);
  EXPECT_FALSE(FindMesh(arm, w.search).moved);
}

TEST(MeshPath, LooksInGivenPackagesFirst) {
  const Workspace w("given");
  MeshSearch elsewhere{.folder = testing::TempDir()};
  EXPECT_THAT(FindMesh("package://hand/meshes/h.stl", elsewhere).error,
              testing::AllOf(HasSubstr("--package-path"), HasSubstr("hand/meshes/h.stl")));
  elsewhere.packages = {w.root + "/src"};
  EXPECT_EQ(FindMesh("package://hand/meshes/h.stl", elsewhere).path,
            w.root + "/src/hand/meshes/h.stl");
  elsewhere.packages = {w.root + "/src/hand/"};  // the package itself
  EXPECT_EQ(FindMesh("package://hand/meshes/h.stl", elsewhere).path,
            w.root + "/src/hand/meshes/h.stl");
}

TEST(MeshPath, SaysWhenItFoundAFileByItsNameOnly) {
  const Workspace w("moved");
  const MeshPlace place = FindMesh("package://gone/meshes/beside.stl", w.search);
  EXPECT_EQ(place.path, w.root + "/src/arm/urdf/beside.stl");
  EXPECT_TRUE(place.moved);
  MeshSearch stripped = w.search;
  stripped.strip_path = true;
  stripped.mesh_folder = "../meshes";
  EXPECT_EQ(FindMesh("/opt/other/a.stl", stripped).path, w.root + "/src/arm/meshes/a.stl");
}

TEST(MeshPath, RefusesWhatIsNoUsablePath) {
  const MeshSearch search{.folder = testing::TempDir()};
  EXPECT_THAT(FindMesh("", search).error, HasSubstr("empty"));
  EXPECT_THAT(FindMesh(std::string(5000, 'a'), search).error, HasSubstr("at most 4096"));
  EXPECT_THAT(FindMesh(std::string("a\0.stl", 6), search).error, HasSubstr("control"));
  EXPECT_THAT(FindMesh("https://example.org/a.stl", search).error, HasSubstr("'https://'"));
  std::string ups;
  for (int i = 0; i < 17; ++i) ups += "../";
  EXPECT_THAT(FindMesh(ups + "etc/passwd", search).error, HasSubstr("17 '..'"));
  EXPECT_THAT(FindMesh("package://" + ups + "etc/passwd", search).error, HasSubstr("'..'"));
  for (const char* name : {"package://", "package:///", "package://a", "file://", "/", ".", "..",
                           "nowhere.stl", "://"}) {
    const MeshPlace place = FindMesh(name, search);
    EXPECT_THAT(place.path, IsEmpty()) << name;
    EXPECT_NE(place.error, "") << name;
  }
}

TEST(MeshPath, ReadsTheEnvironment) {
  ASSERT_EQ(setenv("ROS_PACKAGE_PATH", "/a/src::/b", 1), 0);
  EXPECT_THAT(PackagesOfEnvironment(), ElementsAre("/a/src", "/b"));
  ASSERT_EQ(unsetenv("ROS_PACKAGE_PATH"), 0);
  EXPECT_THAT(PackagesOfEnvironment(), IsEmpty());
}

}  // namespace
}  // namespace realward
