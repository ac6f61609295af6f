#include "deploy/link_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace realward {
namespace {

constexpr std::size_t kReadChunk = 16384;
constexpr int kBacklog = 16;

std::string Reason(int error) { return std::strerror(error); }

// Waits until the descriptor is ready. 1 ready, 0 the deadline passed, -1 failed (errno).
int WaitFor(int fd, short events, LinkTime deadline) {
  for (;;) {
    const LinkTime now = std::chrono::steady_clock::now();
    // Compared first: the difference to LinkTime::min() would overflow.
    const auto left = deadline > now ? deadline - now : LinkTime::duration::zero();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    struct timespec limit {};
    limit.tv_sec = std::min<std::int64_t>(seconds.count(), 1000000);
    limit.tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(left - seconds).count();
    struct pollfd entry {
      fd, events, 0
    };
    const int ready = ::ppoll(&entry, 1, &limit, nullptr);
    if (ready > 0) return 1;
    if (ready < 0 && errno != EINTR) return -1;
    if (ready == 0 && std::chrono::steady_clock::now() >= deadline) return 0;
  }
}

void TuneTcp(int fd) {
  // One small message is waited for at a time: never let the kernel collect them.
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // A peer whose machine vanished is noticed within seconds, without traffic.
  const int idle_s = 5, interval_s = 1, probes = 4;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

struct AddrInfoDeleter {
  void operator()(addrinfo* info) const { ::freeaddrinfo(info); }
};
using AddrInfoPtr = std::unique_ptr<addrinfo, AddrInfoDeleter>;

Result<AddrInfoPtr> Resolve(const LinkAddress& address, bool passive) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return EnvironmentError(fmt::format("cannot resolve host '{}' of {}: {}", address.host,
                                        address.Text(), gai_strerror(error)));
  }
  return AddrInfoPtr(found);
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->sa_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  }
  return false;
}

Result<sockaddr_un> UnixAddress(const LinkAddress& address) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof(out.sun_path)) {
    return InvalidInput(fmt::format("socket path '{}' has {} bytes, the system allows {}",
                                    address.path, address.path.size(), sizeof(out.sun_path) - 1));
  }
  std::memcpy(out.sun_path, address.path.data(), address.path.size());
  return out;
}

// Connects within the deadline. 0 or errno; the socket is non-blocking.
int ConnectFd(int fd, const sockaddr* address, socklen_t size, LinkTime deadline) {
  if (::connect(fd, address, size) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  const int ready = WaitFor(fd, POLLOUT, deadline);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

// What may pass once the robot has started.
bool IsNotThereYet(int error) {
  return error == ECONNREFUSED || error == ENOENT || error == EAGAIN || error == ECONNRESET;
}

// A socket of `family` connected to the address, or -1 with errno.
int TryConnect(int family, const sockaddr* address, socklen_t size, LinkTime deadline) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int error = ConnectFd(fd, address, size, deadline);
  if (error == 0) return fd;
  ::close(fd);
  errno = error;
  return -1;
}

int TryConnect(const LinkAddress& address, const sockaddr_un& path, const AddrInfoPtr& hosts,
               LinkTime deadline) {
  if (address.is_unix) {
    return TryConnect(AF_UNIX, reinterpret_cast<const sockaddr*>(&path), sizeof(path), deadline);
  }
  int fd = -1;
  for (const addrinfo* at = hosts.get(); at != nullptr && fd < 0; at = at->ai_next) {
    fd = TryConnect(at->ai_family, at->ai_addr, at->ai_addrlen, deadline);
  }
  if (fd >= 0) TuneTcp(fd);
  return fd;
}

// Removes the file of a robot that died. An answered socket, or another kind of file, is an error.
Status RemoveStaleFile(const LinkAddress& address, const sockaddr_un& name) {
  struct stat info {};
  if (::lstat(address.path.c_str(), &info) != 0) return {};  // gone meanwhile
  if (!S_ISSOCK(info.st_mode)) {
    return InvalidInput(
        fmt::format("cannot listen at {}: the file exists and is no socket", address.Text()));
  }
  const int probe = TryConnect(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof(name),
                               LinkDeadline(1.0));
  if (probe >= 0) {
    ::close(probe);
    return EnvironmentError(
        fmt::format("cannot listen at {}: another robot answers there", address.Text()));
  }
  if (errno != ECONNREFUSED && errno != ENOENT) {
    return EnvironmentError(fmt::format("cannot listen at {}: the socket file is in use: {}",
                                        address.Text(), Reason(errno)));
  }
  ::unlink(address.path.c_str());
  return {};
}

int BoundPort(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace

LinkTime LinkDeadline(double seconds) {
  if (!(seconds < 1e9)) return LinkTime::max();
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<LinkTime::duration>(std::chrono::duration<double>(seconds));
}

std::string LinkAddress::Text() const {
  if (is_unix) return "unix:" + path;
  return host.find(':') == host.npos ? fmt::format("tcp:{}:{}", host, port)
                                     : fmt::format("tcp:[{}]:{}", host, port);
}

Result<LinkAddress> ParseLinkAddress(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return InvalidInput(
        fmt::format("robot address '{}': {}; valid are unix:/path/to/socket and tcp:host:port",
                    PrintableExcerpt(text, 200), why));
  };
  LinkAddress address;
  if (text.find('\0') != text.npos) return wrong("it holds a zero byte");
  if (text.starts_with("unix:")) {
    address.is_unix = true;
    address.path = text.substr(5);
    if (address.path.empty()) return wrong("the path is empty");
    return address;
  }
  if (!text.starts_with("tcp:")) return wrong("it starts with neither unix: nor tcp:");
  const std::string_view rest = text.substr(4);
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return wrong("the port is missing");
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return wrong("the host is empty");
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, status] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool is_number = status == std::errc() && end == port.data() + port.size();
  if (!is_number || address.port < 0 || address.port > 65535) {
    return wrong(fmt::format("port '{}' is not a number from 0 to 65535", PrintableExcerpt(port)));
  }
  address.host = host;
  return address;
}

LinkSocket::~LinkSocket() { Close(); }

LinkSocket::LinkSocket(LinkSocket&& other) noexcept { *this = std::move(other); }

LinkSocket& LinkSocket::operator=(LinkSocket&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  address_ = std::move(other.address_);
  unlink_path_ = std::exchange(other.unlink_path_, {});
  file_id_ = other.file_id_;
  buffer_ = std::exchange(other.buffer_, {});
  begin_ = std::exchange(other.begin_, 0);
  end_ = std::exchange(other.end_, 0);
  scanned_ = std::exchange(other.scanned_, 0);
  return *this;
}

void LinkSocket::Close() {
  if (fd_ < 0) return;
  if (!unlink_path_.empty()) {
    struct stat info {};
    if (::stat(unlink_path_.c_str(), &info) == 0 && info.st_ino == file_id_) {
      ::unlink(unlink_path_.c_str());
    }
  }
  ::close(fd_);
  fd_ = -1;
  unlink_path_.clear();
}

void LinkSocket::Finish() {
  if (fd_ < 0) return;
  ::shutdown(fd_, SHUT_WR);
  char dropped[4096];
  // Bounded: a peer that keeps sending does not hold us here.
  for (int i = 0; i < 1024 && ::recv(fd_, dropped, sizeof(dropped), MSG_DONTWAIT) > 0; ++i) {
  }
  Close();
}

Result<LinkSocket> LinkSocket::Listen(std::string_view text, bool allow_remote) {
  RW_ASSIGN(const LinkAddress address, ParseLinkAddress(text));
  return address.is_unix ? ListenUnix(address) : ListenTcp(address, allow_remote);
}

Result<LinkSocket> LinkSocket::ListenUnix(const LinkAddress& address) {
  RW_ASSIGN(const sockaddr_un name, UnixAddress(address));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  LinkSocket socket(fd, address.Text());
  const auto failed = [&] {
    return EnvironmentError(fmt::format("cannot listen at {}: {}", address.Text(), Reason(errno)));
  };
  if (fd < 0) return failed();
  const auto bind = [&] {
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0;
  };
  if (!bind()) {
    if (errno != EADDRINUSE) return failed();
    RW_TRY(RemoveStaleFile(address, name));
    if (!bind()) return failed();
  }
  struct stat info {};
  if (::stat(address.path.c_str(), &info) != 0) return failed();
  socket.unlink_path_ = address.path;
  socket.file_id_ = info.st_ino;
  // Before listen(), so that nobody else can have connected.
  if (::chmod(address.path.c_str(), S_IRUSR | S_IWUSR) != 0) return failed();
  if (::listen(fd, kBacklog) != 0) return failed();
  return socket;
}

Result<LinkSocket> LinkSocket::ListenTcp(const LinkAddress& address, bool allow_remote) {
  RW_ASSIGN(const AddrInfoPtr hosts, Resolve(address, true));
  if (!allow_remote && !IsLoopback(hosts->ai_addr)) {
    return InvalidInput(
        fmt::format("will not listen at {}: the link has no authentication, so it stays on "
                    "loopback (127.0.0.1, "
                    "[::1], localhost) unless remote clients are allowed explicitly",
                    address.Text()));
  }
  const int fd = ::socket(hosts->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  LinkSocket socket(fd, "");
  const int on = 1;
  // A robot that restarts may take its port again at once.
  if (fd < 0 || ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::bind(fd, hosts->ai_addr, hosts->ai_addrlen) != 0 || ::listen(fd, kBacklog) != 0) {
    return EnvironmentError(fmt::format("cannot listen at {}: {}", address.Text(), Reason(errno)));
  }
  LinkAddress bound = address;
  bound.port = BoundPort(fd);
  socket.address_ = bound.Text();
  return socket;
}

Result<LinkSocket> LinkSocket::Connect(std::string_view text, LinkTime deadline) {
  RW_ASSIGN(const LinkAddress address, ParseLinkAddress(text));
  sockaddr_un path{};
  AddrInfoPtr hosts;
  if (address.is_unix) {
    RW_ASSIGN(path, UnixAddress(address));
  } else {
    RW_ASSIGN(hosts, Resolve(address, false));
  }
  for (;;) {
    const int fd = TryConnect(address, path, hosts, deadline);
    if (fd >= 0) return LinkSocket(fd, address.Text());
    const int error = errno;
    const bool too_late = std::chrono::steady_clock::now() >= deadline;
    if (!IsNotThereYet(error) || too_late) {
      return EnvironmentError(
          fmt::format("cannot connect to the robot at {}: {}", address.Text(), Reason(error)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Result<LinkSocket> LinkSocket::Accept(LinkTime deadline) {
  for (;;) {
    const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      if (address_.starts_with("tcp:")) TuneTcp(fd);
      return LinkSocket(fd, address_);
    }
    // A client that gave up while it waited is no failure of the listener.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return EnvironmentError(fmt::format("cannot accept at {}: {}", address_, Reason(errno)));
    }
    const int ready = WaitFor(fd_, POLLIN, deadline);
    if (ready == 0) return LinkSocket();
    if (ready < 0) {
      return EnvironmentError(fmt::format("cannot wait at {}: {}", address_, Reason(errno)));
    }
  }
}

LineRead LinkSocket::ReadLine(LinkTime deadline, std::size_t max_line) {
  for (;;) {
    const char* from = buffer_.data() + scanned_;
    const void* newline = end_ > scanned_ ? std::memchr(from, '\n', end_ - scanned_) : nullptr;
    if (newline != nullptr) {
      const std::string_view line(buffer_.data() + begin_, static_cast<const char*>(newline));
      if (line.size() >= max_line) return {ReadOutcome::kTooLong, {}, {}};
      begin_ = scanned_ = begin_ + line.size() + 1;
      return {ReadOutcome::kLine, line, {}};
    }
    scanned_ = end_;
    if (end_ - begin_ >= max_line) return {ReadOutcome::kTooLong, {}, {}};
    MakeRoom();
    // The wait comes first: in lockstep the bytes are almost never there yet.
    const int ready = WaitFor(fd_, POLLIN, deadline);
    if (ready == 0) return {ReadOutcome::kTimeout, {}, {}};
    if (ready < 0) return {ReadOutcome::kFailed, {}, Reason(errno)};
    const ssize_t got = ::recv(fd_, buffer_.data() + end_, buffer_.size() - end_, 0);
    if (got == 0) return {ReadOutcome::kClosed, {}, {}};
    if (got > 0) end_ += static_cast<std::size_t>(got);
    if (got < 0 && errno == ECONNRESET) return {ReadOutcome::kClosed, {}, Reason(errno)};
    if (got < 0 && errno != EINTR && errno != EAGAIN)
      return {ReadOutcome::kFailed, {}, Reason(errno)};
  }
}

void LinkSocket::MakeRoom() {
  if (begin_ > 0) {  // what lies before begin_ was given out by an earlier call
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kReadChunk) buffer_.resize(std::max(2 * buffer_.size(), kReadChunk));
}

Status LinkSocket::WriteAll(std::string_view bytes, LinkTime deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return EnvironmentError(fmt::format("cannot send to {}: {}", address_, Reason(errno)));
    }
    const int ready = WaitFor(fd_, POLLOUT, deadline);
    if (ready < 0)
      return EnvironmentError(fmt::format("cannot wait for {}: {}", address_, Reason(errno)));
    if (ready == 0) {
      return EnvironmentError(
          fmt::format("cannot send to {}: the other side does not read ({} bytes left)", address_,
                      bytes.size()));
    }
  }
  return {};
}

}  // namespace realward
