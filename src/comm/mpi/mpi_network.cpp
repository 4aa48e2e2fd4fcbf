#include "comm/mpi/mpi_network.h"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "comm/mpi/failure_detector.h"

namespace mtfc::runtime::mpi {
namespace {

/// MPI counts in ints: a longer message is one element of a type of its own. Types live as long as
/// the network.
class Types {
 public:
  struct Message {
    int count;
    MPI_Datatype type;
  };
  Message bytes(std::int64_t length) {
    if (length <= std::numeric_limits<int>::max()) return {static_cast<int>(length), MPI_BYTE};
    const auto [entry, is_new] = long_.try_emplace(length, MPI_DATATYPE_NULL);
    if (is_new) entry->second = long_type(length);
    return {1, entry->second};
  }
  MPI_Datatype unit(int size) {
    const auto [entry, is_new] = units_.try_emplace(size, MPI_DATATYPE_NULL);
    if (is_new) {
      MPI_Type_contiguous(size, MPI_BYTE, &entry->second);
      MPI_Type_commit(&entry->second);
    }
    return entry->second;
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
    MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(length / piece * piece)};
    MPI_Datatype types[] = {pieces, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, offsets, types, &type);
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
      return MPI_DATATYPE_NULL;  // MPI has no 16-bit floats; nobody adds booleans
  }
}
MPI_Op operator_of(Combine kind) {
  return kind == Combine::sum ? MPI_SUM : kind == Combine::max ? MPI_MAX : MPI_MIN;
}

/// How a rank waits. MPI's own loops may keep a processor busy; where a machine has more ranks than
/// processors, that keeps it from the very rank that is waited for.
class Waiting {
 public:
  explicit Waiting(int ranks_here)
      : yields_(ranks_here > static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))) {}

  /// A collective to its end. `start` and `run` are its two forms in MPI: start takes a request
  /// after the same arguments.
  template <class Start, class Run, class... Arguments>
  void run(Start start, Run run, Arguments... arguments) const {
    if (!yields_) {
      run(arguments...);
      return;
    }
    MPI_Request request;
    start(arguments..., &request);
    end(request);
  }
  void end(MPI_Request& request) const {
    int ended = 0;
    while (yields_ && MPI_Test(&request, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && !ended)
      sched_yield();
    if (!ended) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  bool yields_;
};

class MpiChannel : public net::Channel {
 public:
  MpiChannel(MPI_Comm comm, Types& types, const Waiting& waiting)
      : comm_(comm), types_(types), waiting_(waiting) {
    MPI_Comm_size(comm, &size_);
    MPI_Comm_rank(comm, &number_);
  }
  ~MpiChannel() override { MPI_Comm_free(&comm_); }

  int size() const override { return size_; }
  int number() const override { return number_; }

  void all_gather(const void* mine, void* all, std::int64_t bytes, net::Transfer* async) override {
    const auto [count, type] = types_.bytes(bytes);
    collective(async, MPI_Iallgather, MPI_Allgather, mine, count, type, all, count, type, comm_);
  }
  void all_to_all(const void* from, void* to, std::int64_t bytes, net::Transfer* async) override {
    const auto [count, type] = types_.bytes(bytes);
    collective(async, MPI_Ialltoall, MPI_Alltoall, from, count, type, to, count, type, comm_);
  }
  void all_to_all(const void* from, const int* send_counts, const int* send_offsets, void* to,
                  const int* receive_counts, const int* receive_offsets, int unit,
                  net::Transfer* async) override {
    const MPI_Datatype type = types_.unit(unit);
    collective(async, MPI_Ialltoallv, MPI_Alltoallv, from, send_counts, send_offsets, type, to,
               receive_counts, receive_offsets, type, comm_);
  }
  void all_gather(const void* mine, int count, void* all, const int* counts, const int* offsets,
                  int unit, net::Transfer* async) override {
    const MPI_Datatype type = types_.unit(unit);
    const auto* own = static_cast<const std::byte*>(all) + std::int64_t{offsets[number_]} * unit;
    if (mine == own) mine = MPI_IN_PLACE;
    collective(async, MPI_Iallgatherv, MPI_Allgatherv, mine, count, type, all, counts, offsets,
               type, comm_);
  }
  void send_receive(int receiver, const void* mine, int sender, void* theirs,
                    std::int64_t bytes) override {
    const auto [count, type] = types_.bytes(bytes);
    MPI_Request sent, received;
    MPI_Irecv(theirs, count, type, sender, 0, comm_, &received);
    MPI_Isend(mine, count, type, receiver, 0, comm_, &sent);
    waiting_.end(received);
    waiting_.end(sent);
  }

  void send(int receiver, const void* data, std::int64_t bytes, net::Transfer& async) override {
    const auto [count, type] = types_.bytes(bytes);
    MPI_Request request;
    MPI_Isend(data, count, type, receiver, 0, comm_, &request);
    async = transfer_of(request);
  }
  void receive(int sender, void* data, std::int64_t bytes, net::Transfer& async) override {
    const auto [count, type] = types_.bytes(bytes);
    MPI_Request request;
    MPI_Irecv(data, count, type, sender, 0, comm_, &request);
    async = transfer_of(request);
  }

  bool test(net::Transfer& transfer) override {
    if (!transfer.open) return true;
    MPI_Request request = request_of(transfer);
    int ended = 0;
    MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (ended)
      transfer.open = false;
    else
      transfer = transfer_of(request);
    return ended != 0;
  }
  void wait(net::Transfer& transfer) override {
    if (!transfer.open) return;
    MPI_Request request = request_of(transfer);
    waiting_.end(request);
    transfer.open = false;
  }

  bool can_add(DType dtype, std::int64_t elements) const override {
    return number_type(dtype) != MPI_DATATYPE_NULL && elements <= std::numeric_limits<int>::max();
  }
  void all_reduce(const void* x, void* y, std::int64_t elements, DType dtype, Combine kind,
                  net::Transfer* async) override {
    collective(async, MPI_Iallreduce, MPI_Allreduce, x, y, static_cast<int>(elements),
               number_type(dtype), operator_of(kind), comm_);
  }
  void reduce_scatter(const void* x, void* y, std::int64_t elements, DType dtype, Combine kind,
                      net::Transfer* async) override {
    collective(async, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block, x, y,
               static_cast<int>(elements), number_type(dtype), operator_of(kind), comm_);
  }

 private:
  /// To its end, or only started.
  template <class Start, class Run, class... Arguments>
  void collective(net::Transfer* async, Start start, Run run, Arguments... arguments) const {
    if (!async) return waiting_.run(start, run, arguments...);
    MPI_Request request;
    start(arguments..., &request);
    *async = transfer_of(request);
  }

  // A request is a number in MPICH and a pointer in Open MPI.
  static_assert(sizeof(MPI_Request) <= sizeof(std::intptr_t));
  static net::Transfer transfer_of(MPI_Request request) {
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
  const Waiting& waiting_;
  int size_ = 1, number_ = 0;
};

int ranks_here(MPI_Comm comm) {
  int count = 1;
  MPI_Comm machine;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return count;
}

/// MPI from its start to its end, and what all networks of the process have in common.
struct Library {
  Library() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    waiting.emplace(ranks_here(MPI_COMM_WORLD));
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    name.assign(text, strcspn(text, ",\n"));
    // "MPICH Version:\t4.0.2" -> "MPICH 4.0.2"
    if (const auto word = name.find(" Version:\t"); word != std::string::npos)
      name.replace(word, strlen(" Version:\t"), " ");
  }
  ~Library() {
    types.free();
    MPI_Finalize();
    failure_detector.reset();  // after that: a rank may fail while the others wait for it there
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::string name;
  Types types;
  std::optional<Waiting> waiting;
  std::unique_ptr<FailureDetector> failure_detector;
};

/// The ranks of a communicator.
class MpiNetwork : public net::Network {
 public:
  MpiNetwork(MPI_Comm comm, Library& library) : comm_(comm), library_(library) {
    MPI_Comm_size(comm, &ranks_);
    MPI_Comm_rank(comm, &rank_);
    ranks_here_ = mpi::ranks_here(comm);
  }
  ~MpiNetwork() override {
    if (comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
  }

  int ranks() const override { return ranks_; }
  int rank() const override { return rank_; }
  int ranks_here() const override { return ranks_here_; }
  bool has_launcher() const override { return true; }
  const char* library() const override { return library_.name.c_str(); }

  std::unique_ptr<net::Channel> split(int colour, int order) override {
    return std::make_unique<MpiChannel>(group(colour, order), library_.types, *library_.waiting);
  }
  std::unique_ptr<net::Network> divide(int colour) override {
    return std::make_unique<MpiNetwork>(group(colour, rank_), library_);
  }
  std::int64_t lowest(std::int64_t mine) override { return agree(mine, MPI_MIN); }
  std::int64_t highest(std::int64_t mine) override { return agree(mine, MPI_MAX); }
  void broadcast(void* data, std::int64_t bytes) override {
    const auto [count, type] = library_.types.bytes(bytes);
    library_.waiting->run(MPI_Ibcast, MPI_Bcast, data, count, type, 0, comm_);
  }
  [[noreturn]] void abort(int status, const std::function<void()>& why) override {
    if (!library_.failure_detector || library_.failure_detector->is_first_reporter()) why();
    // A launcher discards output that it has not forwarded when it ends the ranks.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  MPI_Comm group(int colour, int order) const {
    MPI_Comm comm;
    MPI_Comm_split(comm_, colour, order, &comm);
    return comm;
  }
  std::int64_t agree(std::int64_t mine, MPI_Op op) const {
    std::int64_t all = 0;
    library_.waiting->run(MPI_Iallreduce, MPI_Allreduce, &mine, &all, 1, MPI_INT64_T, op, comm_);
    return all;
  }

  MPI_Comm comm_;
  Library& library_;
  int ranks_ = 1, rank_ = 0, ranks_here_ = 1;
};

/// All ranks. The library is started before the network is made, and ends after it.
class World final : private Library, public MpiNetwork {
 public:
  World() : MpiNetwork(MPI_COMM_WORLD, static_cast<Library&>(*this)) {}
  void watch(std::function<void(int rank)> lost) override {
    failure_detector = FailureDetector::start(std::move(lost));
  }
};

}  // namespace

std::unique_ptr<net::Network> open_network() { return std::make_unique<World>(); }

}  // namespace mtfc::runtime::mpi

mtfc::runtime::net::Network* mtfc_open_network() {
  return mtfc::runtime::mpi::open_network().release();
}

#ifdef MTFC_NETWORK_STAMP
const char* mtfc_network_stamp() { return MTFC_NETWORK_STAMP; }
#endif
