// For LD_PRELOAD, linked to an MPI library: rank 0 takes two seconds longer to end, and says whether
// a signal came meanwhile.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int MPI_Finalize(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int status = PMPI_Finalize();
  if (rank == 0) fputs(sleep(2) == 0 ? "rank 0 has slept\n" : "rank 0 was woken\n", stderr);
  return status;
}
