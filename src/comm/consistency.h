// What ranks agree on before the first kernel runs.
#pragma once
#include "comm/network.h"

namespace mtfc::runtime::net {

/// Ranks on different machines must compute the same bits: all use the lowest instruction set that
/// any of them has. False: some have the product library oneDNN and some do not; the message for
/// that is `products_differ`.
bool agree_on_kernels(Network& network);
extern const char* const products_differ;

/// Threads of each rank: this machine's processors divided among the ranks on it, at least 1.
int share_of_threads(Network& network);

}  // namespace mtfc::runtime::net
