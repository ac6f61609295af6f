// Shaped views over memory owned elsewhere: row-major, contiguous, no allocation.
#ifndef REALWARD_BASE_VIEW_H_
#define REALWARD_BASE_VIEW_H_

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace realward {

// rows × cols, row-major. Indexing is checked in debug builds.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : data_(data), rows_(rows), cols_(cols) {}
  // A mutable view converts to a const one.
  template <class U>
  requires(std::is_same_v<const U, T>)
      MatrixView(MatrixView<U> other)  // NOLINT: implicit on purpose
      : data_(other.data()), rows_(other.rows()), cols_(other.cols()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  std::span<T> row(std::size_t r) const {
#ifndef NDEBUG
    RW_CHECK(r < rows_);
#endif
    return {data_ + r * cols_, cols_};
  }
  T& operator()(std::size_t r, std::size_t c) const {
#ifndef NDEBUG
    RW_CHECK(r < rows_ && c < cols_);
#endif
    return data_[r * cols_ + c];
  }
  std::span<T> flat() const { return {data_, size()}; }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

// An owned row-major matrix that hands out views.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, T fill = T())
      : values_(rows * cols, fill), rows_(rows), cols_(cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  T& operator()(std::size_t r, std::size_t c) { return view()(r, c); }
  const T& operator()(std::size_t r, std::size_t c) const { return view()(r, c); }
  std::span<T> row(std::size_t r) { return view().row(r); }
  std::span<const T> row(std::size_t r) const { return view().row(r); }
  MatrixView<T> view() { return {values_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, cols_}; }
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace realward

#endif  // REALWARD_BASE_VIEW_H_
