// Expected failures as values. User input errors and environment errors travel as Result up to the
// program's edge, where ExitStatus() turns them into the exit status of DESIGN: 0 done, 1 the
// answer is no, 2 the input is wrong, 3 the environment failed.
#ifndef REALWARD_BASE_RESULT_H_
#define REALWARD_BASE_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace realward {

enum class ErrorKind {
  kRefused,       // a check or a gate says no
  kInvalidInput,  // the user's input is wrong
  kEnvironment,   // disk, network, process, memory
  kInterrupted,   // the user asked to stop; a checkpoint was kept
};

struct Error {
  ErrorKind kind = ErrorKind::kEnvironment;
  std::string message;
};

// Exit status of the program for an error of this kind.
inline int ExitStatus(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kRefused:
      return 1;
    case ErrorKind::kInvalidInput:
      return 2;
    case ErrorKind::kEnvironment:
    case ErrorKind::kInterrupted:
      return 3;
  }
  return 3;
}

inline Error InvalidInput(std::string message) {
  return {ErrorKind::kInvalidInput, std::move(message)};
}
inline Error EnvironmentError(std::string message) {
  return {ErrorKind::kEnvironment, std::move(message)};
}
inline Error Refused(std::string message) { return {ErrorKind::kRefused, std::move(message)}; }
inline Error Interrupted(std::string message) {
  return {ErrorKind::kInterrupted, std::move(message)};
}

// A value or an Error. Reading the value of a failed result is a broken assumption and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  // By value, so that `for (x : *Call())` does not walk through a result that is gone.
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace realward

#define RW_CONCAT_INNER(a, b) a##b
#define RW_CONCAT(a, b) RW_CONCAT_INNER(a, b)

// Returns the error of a Status or Result expression from the enclosing function.
#define RW_TRY(expression)                         \
  do {                                             \
    auto rw_status = (expression);                 \
    if (!rw_status.ok()) return rw_status.error(); \
  } while (0)

// Assigns the value of a Result expression, or returns its error.
#define RW_ASSIGN(declaration, expression) \
  RW_ASSIGN_IMPL(RW_CONCAT(rw_result_, __LINE__), declaration, expression)
#define RW_ASSIGN_IMPL(name, declaration, expression) \
  auto name = (expression);                           \
  if (!name.ok()) return name.error();                \
  declaration = std::move(name).value()

#endif  // REALWARD_BASE_RESULT_H_
