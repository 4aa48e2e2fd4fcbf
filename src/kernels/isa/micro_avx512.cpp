#if defined(__x86_64__)
#define MTFC_ISA avx512
#include "kernels/isa/micro.inc"
#endif
