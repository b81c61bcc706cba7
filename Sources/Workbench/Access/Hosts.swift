// SPDX-License-Identifier: Apache-2.0

/// The names that this server answers to, and the origins that its pages have.
struct Hosts: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  /// `port` is `nil` for a server on a UNIX socket, which only the names that were added lead to.
  init(port: Int?, names: [String]) {
    let own =
      port.map { port in ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" } } ?? []
    let names = names.map { $0.lowercased() }
    hosts = Set(own + names)
    // What a proxy serves by a name of its own, it serves by TLS.
    origins = Set((own + names).map { "http://" + $0 } + names.map { "https://" + $0 })
  }

  /// Refuses what was sent to another name (DNS rebinding), or from a page of another site.
  func check(_ head: RequestHead) throws(HTTPFault) {
    guard let host = head["host"], hosts.contains(host.lowercased()) else {
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
    guard origins.contains(origin) else {
      throw HTTPFault(403, "origin", "pages of other sites may not ask this server")
    }
  }
}
