#include "runtime/mpi/network.h"

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "runtime/mpi/watch.h"

namespace mtfc::runtime::mpi {
namespace {

/// MPI counts in ints: what is longer is one element of a type of its own. Types live as long as
/// the network.
class Types {
 public:
  struct Message {
    int count;
    MPI_Datatype type;
  };
  Message bytes(std::int64_t length) {
    if (length <= std::numeric_limits<int>::max()) return {static_cast<int>(length), MPI_BYTE};
    const auto [place, is_new] = long_.try_emplace(length, MPI_DATATYPE_NULL);
    if (is_new) place->second = long_type(length);
    return {1, place->second};
  }
  MPI_Datatype unit(int size) {
    const auto [place, is_new] = units_.try_emplace(size, MPI_DATATYPE_NULL);
    if (is_new) {
      MPI_Type_contiguous(size, MPI_BYTE, &place->second);
      MPI_Type_commit(&place->second);
    }
    return place->second;
  }
  void free() {
    for (auto* types : {&long_, &units_})
      for (auto& [size, type] : *types) MPI_Type_free(&type);
  }

 private:
  using Table = std::map<std::int64_t, MPI_Datatype>;

  static MPI_Datatype long_type(std::int64_t length) {
    constexpr std::int64_t piece = std::int64_t{1} << 30;
    MPI_Datatype pieces, type;
    MPI_Type_vector(static_cast<int>(length / piece), static_cast<int>(piece),
                    static_cast<int>(piece), MPI_BYTE, &pieces);
    int lengths[] = {1, static_cast<int>(length % piece)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(length / piece * piece)};
    MPI_Datatype types[] = {pieces, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pieces);
    return type;
  }

  Table long_, units_;
};

MPI_Datatype number_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return MPI_FLOAT;
    case DType::f64:
      return MPI_DOUBLE;
    case DType::i32:
      return MPI_INT32_T;
    default:
      return MPI_DATATYPE_NULL;  // MPI has no halves; sums of bool are not wanted
  }
}
MPI_Op sum_of(ReduceKind kind) {
  return kind == ReduceKind::sum ? MPI_SUM : kind == ReduceKind::max ? MPI_MAX : MPI_MIN;
}

class MpiChannel : public net::Channel {
 public:
  MpiChannel(MPI_Comm comm, Types& types) : comm_(comm), types_(types) {
    MPI_Comm_size(comm, &size_);
    MPI_Comm_rank(comm, &number_);
  }
  ~MpiChannel() override { MPI_Comm_free(&comm_); }

  int size() const override { return size_; }
  int number() const override { return number_; }

  void all_gather(const void* mine, void* all, std::int64_t bytes, net::Transfer* later) override {
    const Types::Message one = types_.bytes(bytes);
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Iallgather(mine, one.count, one.type, all, one.count, one.type, comm_, request);
      else
        MPI_Allgather(mine, one.count, one.type, all, one.count, one.type, comm_);
    });
  }
  void all_to_all(const void* from, void* to, std::int64_t bytes, net::Transfer* later) override {
    const Types::Message one = types_.bytes(bytes);
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Ialltoall(from, one.count, one.type, to, one.count, one.type, comm_, request);
      else
        MPI_Alltoall(from, one.count, one.type, to, one.count, one.type, comm_);
    });
  }
  void all_to_all(const void* from, const int* send_counts, const int* send_places, void* to,
                  const int* receive_counts, const int* receive_places, int unit,
                  net::Transfer* later) override {
    const MPI_Datatype type = types_.unit(unit);
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Ialltoallv(from, send_counts, send_places, type, to, receive_counts, receive_places,
                       type, comm_, request);
      else
        MPI_Alltoallv(from, send_counts, send_places, type, to, receive_counts, receive_places,
                      type, comm_);
    });
  }
  void all_gather(const void* mine, int count, void* all, const int* counts, const int* places,
                  int unit, net::Transfer* later) override {
    const MPI_Datatype type = types_.unit(unit);
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Iallgatherv(mine, count, type, all, counts, places, type, comm_, request);
      else
        MPI_Allgatherv(mine, count, type, all, counts, places, type, comm_);
    });
  }
  void pass(int receiver, const void* mine, int sender, void* theirs, std::int64_t bytes) override {
    const auto [count, type] = types_.bytes(bytes);
    MPI_Sendrecv(mine, count, type, receiver, 0, theirs, count, type, sender, 0, comm_,
                 MPI_STATUS_IGNORE);
  }

  bool test(net::Transfer& transfer) override {
    if (!transfer.open) return true;
    MPI_Request request = request_of(transfer);
    int ended = 0;
    MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (ended)
      transfer.open = false;
    else
      transfer = begun(request);
    return ended != 0;
  }
  void wait(net::Transfer& transfer) override {
    if (!transfer.open) return;
    MPI_Request request = request_of(transfer);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    transfer.open = false;
  }

  bool can_add(DType dtype, std::int64_t elements) const override {
    return number_type(dtype) != MPI_DATATYPE_NULL && elements <= std::numeric_limits<int>::max();
  }
  void all_reduce(const void* x, void* y, std::int64_t elements, DType dtype, ReduceKind kind,
                  net::Transfer* later) override {
    const Types::Message all{static_cast<int>(elements), number_type(dtype)};
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Iallreduce(x, y, all.count, all.type, sum_of(kind), comm_, request);
      else
        MPI_Allreduce(x, y, all.count, all.type, sum_of(kind), comm_);
    });
  }
  void reduce_scatter(const void* x, void* y, std::int64_t elements, DType dtype, ReduceKind kind,
                      net::Transfer* later) override {
    const Types::Message block{static_cast<int>(elements), number_type(dtype)};
    start(later, [&](MPI_Request* request) {
      if (request)
        MPI_Ireduce_scatter_block(x, y, block.count, block.type, sum_of(kind), comm_, request);
      else
        MPI_Reduce_scatter_block(x, y, block.count, block.type, sum_of(kind), comm_);
    });
  }

 private:
  /// Calls begin(request), or begin(null) where it is to be done at once.
  template <class Begin>
  static void start(net::Transfer* later, Begin begin) {
    MPI_Request request = MPI_REQUEST_NULL;
    begin(later ? &request : nullptr);
    if (later) *later = begun(request);
  }

  // A request is a number in MPICH and a pointer in Open MPI.
  static_assert(sizeof(MPI_Request) <= sizeof(std::intptr_t));
  static net::Transfer begun(MPI_Request request) {
    net::Transfer transfer{0, true};
    std::memcpy(&transfer.handle, &request, sizeof request);
    return transfer;
  }
  static MPI_Request request_of(const net::Transfer& transfer) {
    MPI_Request request;
    std::memcpy(&request, &transfer.handle, sizeof request);
    return request;
  }

  MPI_Comm comm_;
  Types& types_;
  int size_ = 1, number_ = 0;
};

class MpiNetwork : public net::Network {
 public:
  MpiNetwork() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    library_.assign(text, strcspn(text, ",\n"));
    // "MPICH Version:\t4.0.2" -> "MPICH 4.0.2"
    if (const auto word = library_.find(" Version:\t"); word != std::string::npos)
      library_.replace(word, strlen(" Version:\t"), " ");
  }
  ~MpiNetwork() override {
    types_.free();
    MPI_Finalize();
    watch_.reset();  // after that: a rank may vanish while the others wait for it there
  }

  int ranks() const override { return ranks_; }
  int rank() const override { return rank_; }
  int ranks_here() const override {
    MPI_Comm machine;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks);
    MPI_Comm_free(&machine);
    return ranks;
  }
  const char* library() const override { return library_.c_str(); }

  std::unique_ptr<net::Channel> split(int colour, int order) override {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, colour, order, &comm);
    return std::make_unique<MpiChannel>(comm, types_);
  }
  std::int64_t lowest(std::int64_t mine) override { return agree(mine, MPI_MIN); }
  std::int64_t highest(std::int64_t mine) override { return agree(mine, MPI_MAX); }
  void broadcast(void* data, std::int64_t bytes) override {
    const auto [count, type] = types_.bytes(bytes);
    MPI_Bcast(data, count, type, 0, MPI_COMM_WORLD);
  }
  void watch(std::function<void(int rank)> lost) override {
    watch_ = Watch::start(std::move(lost));
  }
  [[noreturn]] void abort(int status) override {
    if (watch_) watch_->hush();
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  static std::int64_t agree(std::int64_t mine, MPI_Op op) {
    std::int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, op, MPI_COMM_WORLD);
    return all;
  }

  int ranks_ = 1, rank_ = 0;
  std::string library_;
  Types types_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace

std::unique_ptr<net::Network> open_network() { return std::make_unique<MpiNetwork>(); }

}  // namespace mtfc::runtime::mpi

mtfc::runtime::net::Network* mtfc_open_network() {
  return mtfc::runtime::mpi::open_network().release();
}
