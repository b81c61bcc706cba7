// SPDX-License-Identifier: Apache-2.0

/// One row of the server's table: a method and a pattern of paths, and who answers.
package struct Route: Sendable {
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
  }

  package let method: Method
  /// A path whose parts in braces stand for any one part, `{name*}` at the end for one or more.
  package let pattern: String
  let isOpen: Bool
  /// Whether it changes or starts something, which who may only look may not.
  let acts: Bool
  /// The most bytes that a body may have, of whom has the key.
  let largestBody: Int
  let work: Work
  private let parts: [Part]

  enum Work: Sendable {
    /// Answers once the body is there.
    case whole(@Sendable (Request) throws -> Response)
    /// Takes the body piece by piece, where it is not to be held in memory.
    case pieces(@Sendable (Request) throws -> any Reception)
  }

  private enum Part: Equatable {
    case word(String)
    case any(String)
    case rest(String)
  }

  /// `isOpen` is for what is asked without a key; `acts` is for a GET that starts something: other methods always do.
  init(
    _ method: Method, _ pattern: String, isOpen: Bool = false, acts: Bool = false,
    largestBody: Int = RequestReader.largestBody,
    _ answer: @escaping @Sendable (Request) throws -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.isOpen = isOpen
    self.acts = acts || (method != .get && !isOpen)
    self.largestBody = largestBody
    work = .whole(answer)
    parts = Self.parts(of: pattern)
  }

  /// A route whose body goes elsewhere as it comes.
  init(
    _ method: Method, _ pattern: String,
    receiving receive: @escaping @Sendable (Request) throws -> any Reception
  ) {
    self.method = method
    self.pattern = pattern
    work = .pieces(receive)
    isOpen = false
    acts = true
    largestBody = RequestReader.largestBody
    parts = Self.parts(of: pattern)
  }

  private static func parts(of pattern: String) -> [Part] {
    pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      guard $0.hasPrefix("{"), $0.hasSuffix("}") else { return .word(String($0)) }
      let name = $0.dropFirst().dropLast()
      return name.hasSuffix("*") ? .rest(String(name.dropLast())) : .any(String(name))
    }
  }

  /// What the pattern's names stand for in a path; `nil` where the path is another.
  func match(_ path: [String]) -> [String: String]? {
    var found: [String: String] = [:]
    var rest = path[...]
    for part in parts {
      switch part {
      case .word(let word):
        guard rest.popFirst() == word else { return nil }
      case .any(let name):
        guard let text = rest.popFirst(), !text.isEmpty else { return nil }
        found[name] = text
      case .rest(let name):
        guard !rest.isEmpty, rest.allSatisfy({ !$0.isEmpty }) else { return nil }
        found[name] = rest.joined(separator: "/")
        rest = []
      }
    }
    return rest.isEmpty ? found : nil
  }
}

/// The table of all routes, and the guards that follow from it.
struct Router: Sendable {
  let routes: [Route]
  let keys: Keys
  let hosts: Hosts

  /// The one way from a request to who answers it: hosts, origin, key, path, method, what the key allows, in this
  /// order.
  func answer(_ head: RequestHead, _ body: [UInt8]) -> Response {
    do {
      return try route(head, body)
    } catch {
      return Response(Self.fault(error))
    }
  }

  /// How long a body may be: as long as its route says, where the request has the key.
  func largestBody(_ head: RequestHead) -> Int {
    guard keys.admit(head) == .all, let parts = try? Request.parts(of: head.path) else {
      return RequestReader.largestBody
    }
    return matching(parts).map(\.0.largestBody).max() ?? RequestReader.largestBody
  }

  /// The routes of a path with what their names stand for: the first pattern is the path's; what its methods are, no
  /// later pattern adds to.
  private func matching(_ parts: [String]) -> [(Route, [String: String])] {
    let all = routes.compactMap { route in route.match(parts).map { (route, $0) } }
    return all.filter { $0.0.pattern == all.first?.0.pattern }
  }

  /// Who takes the body of a request piece by piece; `nil` where it is to be read whole.
  func reception(_ head: RequestHead) throws(HTTPFault) -> (any Reception)? {
    guard head.method == Route.Method.put.rawValue else { return nil }
    do {
      let (route, parameters, access) = try found(head)
      guard case .pieces(let receive) = route.work else { return nil }
      return try receive(Request(head: head, body: [], access: access, parameters: parameters))
    } catch {
      throw Self.fault(error)
    }
  }

  private func route(_ head: RequestHead, _ body: [UInt8]) throws -> Response {
    let (route, parameters, access) = try found(head)
    guard case .whole(let answer) = route.work else {
      throw HTTPFault(400, "bad-request", "this path takes its body from a connection alone")
    }
    return try answer(Request(head: head, body: body, access: access, parameters: parameters))
  }

  /// The route of a request that may be answered, with what its names stand for and what it may do.
  private func found(_ head: RequestHead) throws -> (Route, [String: String], Access) {
    try hosts.check(head)
    let parts = try Request.parts(of: head.path)
    let found = matching(parts)
    let isAPI = parts.first == "api"
    let access = isAPI ? keys.admit(head) : nil
    if isAPI, access == nil, !found.contains(where: { $0.0.isOpen }) { throw Self.keyless }
    guard !found.isEmpty else { throw HTTPFault(404, "no-such-path", "there is nothing here") }
    let wanted = head.method == "HEAD" ? "GET" : head.method
    guard let (route, parameters) = found.first(where: { $0.0.method.rawValue == wanted }) else {
      let methods = found.map(\.0.method.rawValue).flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
      throw HTTPFault(405, "method", "this path takes \(methods.joined(separator: ", "))")
        .with("Allow", methods.joined(separator: ", "))
    }
    guard !isAPI || route.isOpen || access != nil else { throw Self.keyless }
    guard !route.acts || access == .all else { throw HTTPFault.looking }
    return (route, parameters, access ?? .look)
  }

  private static let keyless =
    HTTPFault(401, "key", "this needs a key that 'haprig serve' showed when it started")
    .with("WWW-Authenticate", "Bearer realm=\"haprig\"")

  /// What went wrong inside a handler, as an answer; a sentence that no fault has is not shown.
  private static func fault(_ error: any Error) -> HTTPFault {
    if let fault = error as? HTTPFault { return fault }
    return WorkFault.fault(of: error)
      ?? HTTPFault(500, "failed", "the workbench could not answer this")
  }
}
