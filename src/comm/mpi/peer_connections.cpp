#include "comm/mpi/peer_connections.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>

namespace mtfc::runtime::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_connect{3}, time_for_an_address{1};
constexpr std::chrono::milliseconds time_for_launchers{100};
constexpr int most_addresses = 8;

/// What nobody knows who is not part of the run.
struct Word {
  std::uint32_t parts[4];
  friend bool operator==(const Word& a, const Word& b) {
    return std::equal(a.parts, a.parts + 4, b.parts);
  }
};
struct Invitation {
  Word word;
  std::uint32_t addresses[most_addresses];  // IPv4; these and the port in the network's order
  std::int32_t count;
  std::uint16_t port;
};
struct Hello {
  Word word;
  std::int32_t rank;
};

class Socket {
 public:
  explicit Socket(int file = -1) : file_(file) {}
  ~Socket() {
    if (file_ >= 0) ::close(file_);
  }
  Socket(Socket&& other) noexcept : file_(other.release()) {}
  int get() const { return file_; }
  bool is_open() const { return file_ >= 0; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

Socket make_socket() { return Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

/// How long it is waited for a connection, for what is sent and what is received; 0: for ever.
void limit(const Socket& socket, Clock::duration time) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  const timeval value{us / 1000000, us % 1000000};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

void keep_alive(const Socket& socket) {
  const int on = 1, idle = 60, interval = 10, count = 6;  // s, s
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

template <class T>
bool send_all(int socket, const T& value) {
  return ::send(socket, &value, sizeof value, MSG_NOSIGNAL) == sizeof value;
}
template <class T>
bool receive_all(int socket, T& value) {
  return ::recv(socket, &value, sizeof value, MSG_WAITALL) == sizeof value;
}

void add_addresses(Invitation& invitation) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return;
  for (const ifaddrs* at = first; at && invitation.count < most_addresses; at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET) continue;
    if (!(at->ifa_flags & IFF_UP) || at->ifa_flags & IFF_LOOPBACK) continue;
    sockaddr_in address;
    std::memcpy(&address, at->ifa_addr, sizeof address);
    invitation.addresses[invitation.count++] = address.sin_addr.s_addr;
  }
  ::freeifaddrs(first);
}

/// Without addresses if nobody can be let in.
Invitation invite(const Socket& door) {
  Invitation invitation{};
  std::random_device chance;
  for (std::uint32_t& part : invitation.word.parts) part = chance();
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  const bool is_open = ::bind(door.get(), reinterpret_cast<sockaddr*>(&any), size) == 0 &&
                       ::listen(door.get(), SOMAXCONN) == 0 &&
                       ::getsockname(door.get(), reinterpret_cast<sockaddr*>(&any), &size) == 0;
  invitation.port = any.sin_port;
  if (is_open) add_addresses(invitation);
  return invitation;
}

/// Rank 0 lets the others in, who may come several times, by several addresses.
std::vector<Links::Peer> let_in(const Socket& door, const Word& word,
                                const std::vector<int>& ranks) {
  std::vector<Links::Peer> peers;
  const auto end = Clock::now() + time_to_connect;
  while (peers.size() < ranks.size() && Clock::now() < end) {
    limit(door, std::max<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(1)));
    Socket guest(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!guest.is_open()) continue;
    limit(guest, time_for_an_address);
    Hello hello;
    if (!receive_all(guest.get(), hello) || !(hello.word == word)) continue;
    if (std::find(ranks.begin(), ranks.end(), hello.rank) == ranks.end()) continue;
    if (!send_all(guest.get(), word)) continue;
    keep_alive(guest);
    const auto is_same = [&](const Links::Peer& peer) { return peer.rank == hello.rank; };
    if (auto again = std::find_if(peers.begin(), peers.end(), is_same); again != peers.end()) {
      ::close(again->socket);
      peers.erase(again);
    }
    limit(guest, {});
    peers.push_back({hello.rank, guest.release()});
  }
  return peers;
}

std::vector<Links::Peer> knock(const Invitation& invitation, int rank) {
  const auto end = Clock::now() + time_to_connect;
  for (int i = 0; i < invitation.count && Clock::now() < end; ++i) {
    Socket socket = make_socket();
    limit(socket, time_for_an_address);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = invitation.port;
    address.sin_addr.s_addr = invitation.addresses[i];
    Word answer;
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        !send_all(socket.get(), Hello{invitation.word, rank}) ||
        !receive_all(socket.get(), answer) || !(answer == invitation.word))
      continue;
    keep_alive(socket);
    limit(socket, {});
    return {{0, socket.release()}};
  }
  return {};
}

}  // namespace

std::unique_ptr<Links> Links::open(MPI_Comm firsts) {
  int number = 0, machines = 1, rank = 0;
  MPI_Comm_rank(firsts, &number);
  MPI_Comm_size(firsts, &machines);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> ranks(static_cast<std::size_t>(machines));
  MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, firsts);
  ranks.erase(ranks.begin());

  const Socket door = number == 0 ? make_socket() : Socket();
  Invitation invitation{};
  if (door.is_open()) invitation = invite(door);
  MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, firsts);
  std::unique_ptr<Links> links(new Links({}));
  if (invitation.count > 0)
    links->peers_ = number == 0 ? let_in(door, invitation.word, ranks) : knock(invitation, rank);
  int mine = links->peers_.size() == (number == 0 ? ranks.size() : 1) ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, firsts);
  return all == 1 ? std::move(links) : nullptr;
}

Links::~Links() {
  for (const Peer& peer : peers_) ::close(peer.socket);
}

void Links::listen(std::function<void(int rank)> gone, std::function<void()> is_told) {
  gone_ = std::move(gone);
  is_told_ = std::move(is_told);
  thread_ = std::thread([this] {
    std::vector<pollfd> open;
    const auto ended = [](const Peer& peer) { return peer.ended; };
    while (!std::all_of(peers_.begin(), peers_.end(), ended)) {
      open.clear();
      for (const Peer& peer : peers_) open.push_back({peer.ended ? -1 : peer.socket, POLLIN, 0});
      if (::poll(open.data(), open.size(), -1) < 0) continue;
      for (std::size_t i = 0; i < open.size(); ++i)
        if (open[i].revents != 0) hear(peers_[i]);
    }
  });
}

void Links::hear(Peer& peer) {
  std::int32_t what = 0;
  if (!receive_all(peer.socket, what)) {
    // A launcher that ends all ranks is about to end this one, too.
    if (!peer.has_told) std::this_thread::sleep_for(time_for_launchers);
    return gone_(peer.has_told ? told : peer.rank);
  }
  if (what == goodbye) {
    peer.ended = true;
  } else if (what == told) {
    peer.has_told = true;
    is_told_();
  } else {
    gone_(what);
  }
}

void Links::say(int what) const {
  for (const Peer& peer : peers_) send_all(peer.socket, static_cast<std::int32_t>(what));
}

void Links::close() {
  say(goodbye);
  thread_.join();
}

}  // namespace mtfc::runtime::mpi
