#define MTFC_ISA baseline
#include "runtime/isa/table.inc"
