#define MTFC_ISA baseline
#include "kernels/isa/table.inc"
