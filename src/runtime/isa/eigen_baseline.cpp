#define MTFC_ISA baseline
#include "runtime/isa/eigen.inc"
