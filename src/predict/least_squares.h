// Small systems of equations, for what is found from several measurements.
#pragma once
#include <vector>

namespace mtfc::predict {

/// The unknowns, none of them negative, that come nearest to
/// sum over j of equations[i][j] * unknown[j] = values[i] for all i, each in proportion to its
/// value, which is positive. An unknown that would be negative is 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& equations,
                                  const std::vector<double>& values);

}  // namespace mtfc::predict
