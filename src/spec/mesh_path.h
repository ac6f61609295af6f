// Where the mesh file is that a robot description names: package://, file://, relative and absolute
// paths, in the folders that people keep them in.
#ifndef REALWARD_SPEC_MESH_PATH_H_
#define REALWARD_SPEC_MESH_PATH_H_

#include <string>
#include <string_view>
#include <vector>

namespace realward {

struct MeshSearch {
  std::string folder{};                 // of the description, absolute
  std::string mesh_folder{};            // the description's meshdir; empty: none
  std::vector<std::string> packages{};  // folders of packages, or packages themselves
  bool strip_path = false;              // the description asks to use only file names
};

struct MeshPlace {
  std::string path;    // absolute; empty when it was not found
  std::string error;   // then: why, and where it was looked for
  bool moved = false;  // found by its file name beside the description, not where the file says
};

// Looks for a mesh. Nothing is opened; a symbolic link counts as what it points to. Paths over 4096
// bytes, with control characters, with more than 16 ".." or from the network are refused.
MeshPlace FindMesh(std::string_view name, const MeshSearch& search);

// The folders of ROS_PACKAGE_PATH, in order.
std::vector<std::string> PackagesOfEnvironment();

}  // namespace realward

#endif  // REALWARD_SPEC_MESH_PATH_H_
