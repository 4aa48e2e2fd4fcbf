// Reports of one layout's mistakes, up to a number: after so many, further ones help nobody.
#pragma once
#include <cstddef>
#include <utility>

#include "messages/diagnostic.h"

namespace mtfc::lowering {

class FirstMistakes {
 public:
  explicit FirstMistakes(Diagnostics& diagnostics)
      : diagnostics_(diagnostics), limit_(diagnostics.all().size() + most) {}

  void report(Diagnostic d) {
    if (diagnostics_.all().size() < limit_) diagnostics_.report(std::move(d));
  }

 private:
  static constexpr std::size_t most = 50;

  Diagnostics& diagnostics_;
  std::size_t limit_;
};

}  // namespace mtfc::lowering
