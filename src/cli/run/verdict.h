// What `mtfc verify` says of its differences.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "backends/verify/compare.h"
#include "support/json.h"

namespace mtfc::cli {

/// One tensor: how far it is in the model's own precision, and in f64.
struct VerifyRow {
  backends::Difference own;
  std::optional<backends::Difference> f64;  // absent with --tolerance
  double tolerance = 0;                     // of own.relative
  bool half = false;                        // some types of the programs have 16 bits

  bool far() const { return own.relative > tolerance; }
  /// Beyond what rounding explains in f64; beyond the tolerance without it.
  bool differs() const;
  /// The worst that both runs have at the same places.
  NotFinite in_both() const { return f64 ? std::max(own.both, f64->both) : own.both; }
  /// Both are not finite where numbers are needed, and in f64, which decides: that they are equal
  /// says nothing.
  bool proves_nothing() const;
};

/// Losses first, then gradients, variables, and of the named values those that differ.
std::vector<VerifyRow> verify_rows(const std::vector<backends::Difference>& own,
                                   const std::vector<backends::Difference>& f64,
                                   std::optional<double> tolerance, bool half);

/// For people: 80 columns wide; of many rows the worst.
std::string verify_table(std::vector<VerifyRow> rows);
std::string verify_json(const std::vector<VerifyRow>& rows);

}  // namespace mtfc::cli
