# Which compiler builds emitted programs, `cxx`, and those of the wrappers of MPI: by day clang, which takes two thirds of
# GCC's time for what is not optimised, if it is installed. emit_sources is for GCC (`use_gcc=1`).
cxx=c++
if ! nightly && [ -z "${use_gcc:-}" ] && command -v clang++ >/dev/null; then
  cxx=clang++
  export OMPI_CXX=$cxx MPICH_CXX=$cxx
fi
