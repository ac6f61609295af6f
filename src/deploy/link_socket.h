// Stream sockets of the robot link: TCP and Unix sockets behind one small RAII class. Poll-based
// with deadlines, safe against EINTR, never raises SIGPIPE. Linux.
#ifndef REALWARD_DEPLOY_LINK_SOCKET_H_
#define REALWARD_DEPLOY_LINK_SOCKET_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "deploy/link_message.h"

namespace realward {

using LinkTime = std::chrono::steady_clock::time_point;

// `seconds` from now; a non-finite or huge value means never.
LinkTime LinkDeadline(double seconds);

// Where a robot listens: "unix:/path/to/socket", "tcp:127.0.0.1:5555", "tcp:localhost:0" or
// "tcp:[::1]:5555". Port 0 lets the system choose when listening.
struct LinkAddress {
  bool is_unix = false;
  std::string path;  // unix
  std::string host;  // tcp
  int port = 0;      // tcp
  std::string Text() const;
};
Result<LinkAddress> ParseLinkAddress(std::string_view text);

enum class ReadOutcome {
  kLine,
  kTimeout,
  kClosed,   // the peer closed or died; a last line without its newline is dropped
  kTooLong,  // no newline within the limit
  kFailed,   // the system's reason is in `reason`
};

struct LineRead {
  ReadOutcome outcome = ReadOutcome::kTimeout;
  std::string_view line;  // without its newline; valid until the next call on the socket
  std::string reason;
};

// One socket: a listener or a connection. Movable; closes on destruction, and a Unix listener then
// removes its file. Not thread-safe.
class LinkSocket {
 public:
  LinkSocket() = default;
  ~LinkSocket();
  LinkSocket(LinkSocket&& other) noexcept;
  LinkSocket& operator=(LinkSocket&& other) noexcept;

  // Listens. A Unix socket file that no process answers on is replaced; one that is answered, and a
  // file that is no socket, are errors. The file is readable and writable by its owner only. TCP
  // takes loopback addresses only, unless `allow_remote`: the protocol has no authentication.
  static Result<LinkSocket> Listen(std::string_view address, bool allow_remote = false);

  // Connects; keeps trying until the deadline while nothing listens there yet.
  static Result<LinkSocket> Connect(std::string_view address, LinkTime deadline);

  // The next connection of a listener. An invalid socket (valid() is false) when the deadline
  // passes first.
  Result<LinkSocket> Accept(LinkTime deadline);

  // The next line. Lines longer than `max_line` bytes, newline included, are not read.
  LineRead ReadLine(LinkTime deadline, std::size_t max_line = kLinkMaxLine);

  // Writes every byte, or says why not: peer gone, deadline passed.
  Status WriteAll(std::string_view bytes, LinkTime deadline);

  bool valid() const { return fd_ >= 0; }
  // Of a listener: the address with the port the system chose. Of a connection: the peer's address
  // as given.
  const std::string& address() const { return address_; }
  void Close();
  // Closes so that the peer can still read what was written: without this, bytes of the peer that
  // nobody read turn the close into a reset.
  void Finish();

 private:
  LinkSocket(int fd, std::string address) : fd_(fd), address_(std::move(address)) {}
  static Result<LinkSocket> ListenUnix(const LinkAddress& address);
  static Result<LinkSocket> ListenTcp(const LinkAddress& address, bool allow_remote);
  void MakeRoom();

  int fd_ = -1;
  std::string address_;
  std::string unlink_path_;    // a Unix listener's file
  unsigned long file_id_ = 0;  // its inode: another robot's file at the same path is left alone
  // Bytes received; [begin_, end_) is not yet given out, [begin_, scanned_) holds no newline.
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
};

}  // namespace realward

#endif  // REALWARD_DEPLOY_LINK_SOCKET_H_
