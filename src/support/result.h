// A value, or why there is none. What a user's file does wrong is an Error, never an exception.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mtfc::runtime {

struct Error {
  std::string message;             // lower case, no full stop, stands alone
  std::vector<std::string> helps;  // "-D vocab=71"
  std::string subject;             // the data source or input it is about, if any
  bool unreadable = false;         // a file is not there or may not be read
};

template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: meant to be implicit
  Result(Error error) : state_(std::move(error)) {}  // NOLINT
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// For what has no value: absent when all went well.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT
  explicit operator bool() const { return !failed_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace mtfc::runtime
