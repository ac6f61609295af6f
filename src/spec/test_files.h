// For tests of this stage: small files in a folder of the running test.
#ifndef REALWARD_SPEC_TEST_FILES_H_
#define REALWARD_SPEC_TEST_FILES_H_

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "base/file.h"

namespace realward {

// Writes a file and gives its path. Tests that run at the same time do not share a folder.
inline std::string WriteTestFile(const std::string& name, std::string_view content) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::string folder =
      testing::TempDir() + "rw_spec_" + info->test_suite_name() + "_" + info->name();
  EXPECT_TRUE(MakeFolders(folder).ok());
  const std::string path = folder + "/" + name;
  std::ofstream file(path, std::ios::binary);  // not WriteFileAtomic: its fsync costs tests seconds
  file << content;
  EXPECT_TRUE(file.flush().good());
  return path;
}

// Replaces the first `from`, which must be there.
inline std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace realward

#endif  // REALWARD_SPEC_TEST_FILES_H_
