// Floating-point operations of one call, from the numbers that the kernel itself gets: a
// multiply-add is 2, each scalar operation of a map 1, each element that a reduction, a running sum
// or the adjoint of a window reads 1.
#pragma once
#include "kernels/spec.h"

namespace mtfc::runtime {

double flops(const MapSpec& spec);
double flops(const ContractSpec& spec);
double flops(const ReduceSpec& spec);
// Moving data is no arithmetic.
inline double flops(const CopySpec&) { return 0; }
inline double flops(const GatherSpec&) { return 0; }
double flops(const ScatterAddSpec& spec);
double flops(const PutSpec& spec);
inline double flops(const WindowSpec&) { return 0; }
double flops(const WindowAddSpec& spec);
double flops(const PrefixSpec& spec);
inline double flops(const TopSpec&) { return 0; }

}  // namespace mtfc::runtime
