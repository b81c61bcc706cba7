// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Synchronization

/// Where a server listens: this machine alone, or a file that one user may open.
package enum ListenAddress: Sendable, Equatable {
  case loopback(String)
  case unix(String)

  /// Reads what `--listen` says; anything that other machines reach is refused.
  package init(_ text: String) throws(ServerFault) {
    switch text {
    case "127.0.0.1", "localhost": self = .loopback("127.0.0.1")
    case "::1", "[::1]": self = .loopback("::1")
    default:
      guard text.hasPrefix("unix:"), text.count > 5 else {
        throw ServerFault(
          "--listen \(text): the workbench is for this machine alone (127.0.0.1, ::1): for others, "
            + "let a proxy with TLS stand before '--listen unix:PATH', or use a tunnel: "
            + "ssh -L 8017:127.0.0.1:8017 HOST")
      }
      self = .unix(String(text.dropFirst(5)))
    }
  }
}

/// Why no server could be started, in a sentence.
package struct ServerFault: Error, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ sentence: String) { description = sentence }
}

/// The place where connections come in.
final class Listener: Sendable {
  let descriptor: Int32
  /// `nil` on a UNIX socket.
  let port: Int?
  private let path: String?
  private let isClosed = Atomic(false)

  /// Listens at an address; without a port at 8017, or the first free one of the 19 after it.
  init(_ address: ListenAddress, port: Int?) throws(ServerFault) {
    switch address {
    case .unix(let path):
      descriptor = try Self.listen(path: path)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      self.port = nil
      self.path = path
    case .loopback(let host):
      path = nil
      for candidate in port.map({ $0...$0 }) ?? 8017...8036 {
        let (made, reason) = Self.listen(host, candidate)
        if made >= 0 {
          descriptor = made
          _ = fcntl(made, F_SETFL, O_NONBLOCK)
          self.port = Self.port(of: made)
          return
        }
        guard reason == EADDRINUSE, port == nil else {
          throw ServerFault(
            reason == EADDRINUSE
              ? "port \(candidate) is taken: leave --port out for a free one, or name another"
              : "\(host):\(candidate) cannot be listened at: \(String(cString: strerror(reason)))")
        }
      }
      throw ServerFault("the ports 8017 to 8036 are all taken: name another with --port")
    }
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  /// Waits for a connection; `nil` once the listener was stopped.
  func accept() -> SocketStream? {
    while !isClosed.load(ordering: .acquiring) {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 1000) > 0 else { continue }
      let (made, reason) = SpawnGate.pass {
        let made = Glibc.accept(descriptor, nil, nil)
        let reason = errno
        if made >= 0 { _ = fcntl(made, F_SETFD, FD_CLOEXEC) }
        return (made, reason)
      }
      if made >= 0 {
        _ = fcntl(made, F_SETFL, O_NONBLOCK)
        return SocketStream(made)
      }
      switch reason {
      case EINTR, EAGAIN, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(50_000)
      default:
        if isClosed.load(ordering: .acquiring) { return nil }
        usleep(50_000)
      }
    }
    return nil
  }

  func stop() {
    isClosed.store(true, ordering: .releasing)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private static func socketOf(_ family: Int32) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func listen(_ host: String, _ port: Int) -> (descriptor: Int32, reason: Int32) {
    let isSix = host.contains(":")
    let made = socketOf(isSix ? AF_INET6 : AF_INET)
    guard made >= 0 else { return (-1, errno) }
    var yes: Int32 = 1
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let code: Int32
    if isSix {
      setsockopt(made, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(UInt16(port).bigEndian)
      inet_pton(AF_INET6, host, &address.sin6_addr)
      code = bound(made, &address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(UInt16(port).bigEndian)
      inet_pton(AF_INET, host, &address.sin_addr)
      code = bound(made, &address)
    }
    guard code == 0, Glibc.listen(made, 128) == 0 else {
      let reason = errno
      close(made)
      return (-1, reason)
    }
    return (made, 0)
  }

  private static func bound<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> Int {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &length)
      }
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin_port))
      }
    }
  }

  private static func listen(path: String) throws(ServerFault) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < room else {
      throw ServerFault("--listen unix:\(path): a socket's path has at most \(room - 1) bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let made = socketOf(AF_UNIX)
    guard made >= 0 else { throw ServerFault("no socket can be made") }
    // What a workbench that was killed left behind; one that lives is not taken from it.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
      let probe = socketOf(AF_UNIX)
      let answers = connected(probe, &address) == 0
      close(probe)
      if !answers { unlink(path) }
    }
    let mask = umask(0o177)
    let code = bound(made, &address)
    let reason = errno
    umask(mask)
    guard code == 0, Glibc.listen(made, 128) == 0 else {
      close(made)
      throw ServerFault(
        "--listen unix:\(path): "
          + (code == 0
            ? "it cannot be listened at"
            : reason == EADDRINUSE
              ? "something is there already: end it, or name another path"
              : String(cString: strerror(reason))))
    }
    return made
  }

  private static func connected<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
