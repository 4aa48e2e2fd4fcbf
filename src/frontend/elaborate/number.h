// Static numbers: exact integers as long as they fit, doubles otherwise.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "frontend/syntax/ast.h"

namespace mtfc::elab {

struct Number {
  bool exact = true;  // an integer, exactly
  std::int64_t integer = 0;
  double real = 0;
  /// Computed by a division or a root: a float where nothing says otherwise, whole or not.
  bool quotient = false;

  static Number whole(std::int64_t value) { return {true, value, 0, false}; }
  static Number of(double value) { return {false, 0, value, false}; }
  /// An int where nothing says otherwise.
  bool is_int() const { return exact && !quotient; }

  double value() const { return exact ? static_cast<double>(integer) : real; }
  /// The value as an integer, if it is one and fits.
  std::optional<std::int64_t> as_integer() const;
};

/// The shortest text that reads back to the same value.
std::string to_string(const Number& number);
std::string to_string(double value);

/// Arithmetic and comparison-free operators: + - * / // % ^. Absent for a division by zero.
std::optional<Number> arithmetic(ast::BinaryOp op, const Number& a, const Number& b);
Number negated(const Number& a);
bool compare(ast::BinaryOp op, const Number& a, const Number& b);

/// floor ceil round abs sqrt log exp; absent if there is no such static function.
std::optional<Number> static_function(const std::string& name, const Number& a);

}  // namespace mtfc::elab
