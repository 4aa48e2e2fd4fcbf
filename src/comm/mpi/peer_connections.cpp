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

/// Known to the ranks of the run only.
struct Secret {
  std::uint32_t parts[4];
  friend bool operator==(const Secret& a, const Secret& b) {
    return std::equal(a.parts, a.parts + 4, b.parts);
  }
};
struct Invitation {
  Secret secret;
  std::uint32_t addresses[most_addresses];  // IPv4; these and the port in the network's order
  std::int32_t count;
  std::uint16_t port;
};
struct Hello {
  Secret secret;
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

/// Timeout of connecting, sending and receiving; 0: none.
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

/// Without addresses if no peer can connect.
Invitation invite(const Socket& listener) {
  Invitation invitation{};
  std::random_device random;
  for (std::uint32_t& part : invitation.secret.parts) part = random();
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  const bool is_open = ::bind(listener.get(), reinterpret_cast<sockaddr*>(&any), size) == 0 &&
                       ::listen(listener.get(), SOMAXCONN) == 0 &&
                       ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&any), &size) == 0;
  invitation.port = any.sin_port;
  if (is_open) add_addresses(invitation);
  return invitation;
}

/// Rank 0 accepts the others, which may connect several times, by several addresses.
std::vector<PeerConnections::Peer> accept_peers(const Socket& listener, const Secret& secret,
                                                const std::vector<int>& ranks) {
  std::vector<PeerConnections::Peer> peers;
  const auto end = Clock::now() + time_to_connect;
  while (peers.size() < ranks.size() && Clock::now() < end) {
    limit(listener, std::max<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(1)));
    Socket connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open()) continue;
    limit(connection, time_for_an_address);
    Hello hello;
    if (!receive_all(connection.get(), hello) || !(hello.secret == secret)) continue;
    if (std::find(ranks.begin(), ranks.end(), hello.rank) == ranks.end()) continue;
    if (!send_all(connection.get(), secret)) continue;
    keep_alive(connection);
    const auto is_same = [&](const PeerConnections::Peer& peer) { return peer.rank == hello.rank; };
    if (auto again = std::find_if(peers.begin(), peers.end(), is_same); again != peers.end()) {
      ::close(again->socket);
      peers.erase(again);
    }
    limit(connection, {});
    peers.push_back({hello.rank, connection.release()});
  }
  return peers;
}

std::vector<PeerConnections::Peer> connect_to_root(const Invitation& invitation, int rank) {
  const auto end = Clock::now() + time_to_connect;
  for (int i = 0; i < invitation.count && Clock::now() < end; ++i) {
    Socket socket = make_socket();
    limit(socket, time_for_an_address);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = invitation.port;
    address.sin_addr.s_addr = invitation.addresses[i];
    Secret answer;
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        !send_all(socket.get(), Hello{invitation.secret, rank}) ||
        !receive_all(socket.get(), answer) || !(answer == invitation.secret))
      continue;
    keep_alive(socket);
    limit(socket, {});
    return {{0, socket.release()}};
  }
  return {};
}

}  // namespace

std::unique_ptr<PeerConnections> PeerConnections::open(MPI_Comm firsts) {
  int number = 0, machines = 1, rank = 0;
  MPI_Comm_rank(firsts, &number);
  MPI_Comm_size(firsts, &machines);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> ranks(static_cast<std::size_t>(machines));
  MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, firsts);
  ranks.erase(ranks.begin());

  const Socket listener = number == 0 ? make_socket() : Socket();
  Invitation invitation{};
  if (listener.is_open()) invitation = invite(listener);
  MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, firsts);
  std::unique_ptr<PeerConnections> made(new PeerConnections({}));
  if (invitation.count > 0)
    made->peers_ = number == 0 ? accept_peers(listener, invitation.secret, ranks)
                               : connect_to_root(invitation, rank);
  int mine = made->peers_.size() == (number == 0 ? ranks.size() : 1) ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, firsts);
  return all == 1 ? std::move(made) : nullptr;
}

PeerConnections::~PeerConnections() {
  for (const Peer& peer : peers_) ::close(peer.socket);
}

void PeerConnections::listen(std::function<void(int rank)> failed,
                             std::function<void()> on_reported) {
  failed_ = std::move(failed);
  on_reported_ = std::move(on_reported);
  thread_ = std::thread([this] {
    std::vector<pollfd> open;
    const auto closed = [](const Peer& peer) { return peer.closed; };
    while (!std::all_of(peers_.begin(), peers_.end(), closed)) {
      open.clear();
      for (const Peer& peer : peers_) open.push_back({peer.closed ? -1 : peer.socket, POLLIN, 0});
      if (::poll(open.data(), open.size(), -1) < 0) continue;
      for (std::size_t i = 0; i < open.size(); ++i)
        if (open[i].revents != 0) receive(peers_[i]);
    }
  });
}

void PeerConnections::receive(Peer& peer) {
  std::int32_t message = 0;
  if (!receive_all(peer.socket, message)) {
    // A launcher that ends all ranks is about to end this one, too.
    if (!peer.has_reported) std::this_thread::sleep_for(time_for_launchers);
    return failed_(peer.has_reported ? reported : peer.rank);
  }
  if (message == closing) {
    peer.closed = true;
  } else if (message == reported) {
    peer.has_reported = true;
    on_reported_();
  } else {
    failed_(message);
  }
}

void PeerConnections::send(int message) const {
  for (const Peer& peer : peers_) send_all(peer.socket, static_cast<std::int32_t>(message));
}

void PeerConnections::close() {
  send(closing);
  thread_.join();
}

}  // namespace mtfc::runtime::mpi
