#include "base/view.h"

#include <gtest/gtest.h>

namespace realward {
namespace {

TEST(View, IsRowMajorAndSharesMemory) {
  Matrix<int> m(2, 3);
  m(1, 2) = 7;
  EXPECT_EQ(m.values()[5], 7);
  MatrixView<int> view = m.view();
  view.row(0)[1] = 4;
  EXPECT_EQ(m(0, 1), 4);
  MatrixView<const int> constant = view;
  EXPECT_EQ(constant(1, 2), 7);
  EXPECT_EQ(constant.flat().size(), 6u);
}

}  // namespace
}  // namespace realward
