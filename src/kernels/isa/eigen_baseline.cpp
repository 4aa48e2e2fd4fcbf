#define MTFC_ISA baseline
#include "kernels/isa/eigen.inc"
