// Short words for what emitted programs are made of, so that they can be read.
#pragma once
#include <initializer_list>
#include <vector>

#include "comm/exchange_spec.h"
#include "support/scalar.h"

namespace mtfc::runtime::words {

using namespace scalar;

/// A bucket of tensors that are of a few kinds: tensor number i is of kind number which[i].
inline std::vector<ExchangeSpec> bucket_of(const std::vector<ExchangeSpec>& kinds,
                                           std::initializer_list<std::size_t> which) {
  std::vector<ExchangeSpec> bucket;
  for (const std::size_t kind : which) bucket.push_back(kinds[kind]);
  return bucket;
}

}  // namespace mtfc::runtime::words
