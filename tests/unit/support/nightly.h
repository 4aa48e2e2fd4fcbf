// Series of cases in tests: whole in scripts/nightly, a part of them for each change.
#pragma once
#include <cstdlib>

namespace mtfc::test {

inline bool is_nightly() {
  const char* set = std::getenv("MTFC_NIGHTLY");
  return set != nullptr && *set != 0;
}

/// Of so many random cases, how many are tried: half of them by day.
inline unsigned rounds(unsigned all) { return is_nightly() ? all : all / 2; }

/// How long random programs are tried for each property: MTFC_PROPERTY_SECONDS, or little by day.
inline double property_seconds() {
  const char* set = std::getenv("MTFC_PROPERTY_SECONDS");
  if (set != nullptr) return std::atof(set);
  return is_nightly() ? 3 : 1.5;
}

/// Of a series, in the order in which it comes: the night takes all, each change one of three.
class OneOfThree {
 public:
  bool skips() { return !is_nightly() && seen_++ % 3 != 0; }

 private:
  int seen_ = 0;
};

}  // namespace mtfc::test
