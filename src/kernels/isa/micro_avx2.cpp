#if defined(__x86_64__)
#define MTFC_ISA avx2
#include "kernels/isa/micro.inc"
#endif
