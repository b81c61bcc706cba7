// SPDX-License-Identifier: Apache-2.0

/// The names that this server answers to, and the origins that its pages have.
struct Hosts: Sendable {
  private let names: Set<String>
  private let origins: Set<String>

  /// This machine's own names are known; `names` are those of proxies.
  init(names: [String]) {
    self.names = Set(names.map { $0.lowercased() })
    // What a proxy serves by a name of its own, it serves by TLS.
    origins = Set(self.names.flatMap { ["http://" + $0, "https://" + $0] })
  }

  /// Refuses what was sent to another name (DNS rebinding), or from a page of another site.
  func check(_ head: RequestHead) throws(HTTPFault) {
    let host = (head["host"] ?? "").lowercased()
    let isLoopback = Self.isLoopback(host)
    guard isLoopback || names.contains(host) else {
      throw HTTPFault(
        421, "host", "this server does not answer to that name: --host NAME adds a name")
    }
    guard head.isUpgrade || !["GET", "HEAD"].contains(head.method) else { return }
    guard let origin = head["origin"] else {
      guard Keys.bearer(of: head) != nil else {
        throw HTTPFault(403, "origin", "a request that changes something has to say its origin")
      }
      return
    }
    // Another port of this machine is another site.
    guard origins.contains(origin) || (isLoopback && origin == "http://" + host) else {
      throw HTTPFault(403, "origin", "pages of other sites may not ask this server")
    }
  }

  /// Whether a host is this machine, at whatever port: a tunnel may begin at another one than this server's.
  ///
  /// No other site's name can lead here so, whatever it resolves to.
  private static func isLoopback(_ host: String) -> Bool {
    ["127.0.0.1", "localhost", "[::1]"].contains { name in
      host == name || port(of: host).map { host == "\(name):\($0)" } == true
    }
  }

  /// The port after the last colon; `nil` where there is none.
  static func port(of host: String) -> Int? {
    guard let colon = host.lastIndex(of: ":") else { return nil }
    let digits = host[host.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
      (1...65_535).contains(port)
    else { return nil }
    return port
  }
}
