// What ranks settle before the first kernel runs.
#pragma once
#include "comm/network.h"

namespace mtfc::runtime::net {

/// Ranks on different machines must compute alike: all take the lowest instruction set that any of
/// them has. Absent (false): some have the product library oneDNN and some have not; the message
/// for that is `products_differ`.
bool agree_on_kernels(Network& network);
extern const char* const products_differ;

/// This machine's processors shared out among the ranks on it, at least 1.
int share_of_threads(Network& network);

}  // namespace mtfc::runtime::net
