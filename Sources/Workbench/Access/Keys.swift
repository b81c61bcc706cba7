// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

/// A secret of 256 bits from the kernel, as 64 hexadecimal digits.
struct Secret: Sendable {
  let text: String

  init() {
    var bytes = [UInt8](repeating: 0, count: 32)
    precondition(getentropy(&bytes, bytes.count) == 0, "the kernel gives no random bytes")
    let digits = Array("0123456789abcdef".utf8)
    text = String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Compares in a time that does not depend on where the texts differ.
  func equals(_ other: some StringProtocol) -> Bool {
    let (own, foreign) = (Array(text.utf8), Array(other.utf8))
    guard own.count == foreign.count else { return false }
    return zip(own, foreign).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The keys that the start lines show, and the cookies that were given for them.
final class Keys: Sendable {
  let key = Secret()
  /// The key of who may only look.
  let lookingKey = Secret()
  private let state = Guarded(State())

  private struct State {
    var cookies: [(secret: Secret, access: Access)] = []
    var wrong: [Double] = []
  }

  /// Cookies that are known at once; the oldest is forgotten.
  static let mostCookies = 64
  static let mostWrongKeys = 10

  /// Gives a cookie for a key; `now` in seconds.
  func cookie(for offered: String, now: Double) throws(HTTPFault) -> String {
    let outcome = state.withLock { state -> Result<String, HTTPFault> in
      state.wrong.removeAll { now - $0 >= 60 }
      guard state.wrong.count < Self.mostWrongKeys else {
        return .failure(
          HTTPFault(429, "too-many-keys", "too many wrong keys: wait for a minute")
            .with("Retry-After", "60"))
      }
      guard let access = access(of: offered) else {
        state.wrong.append(now)
        return .failure(
          HTTPFault(401, "wrong-key", "this is no key that 'haprig serve' showed"))
      }
      let cookie = Secret()
      state.cookies = state.cookies.suffix(Self.mostCookies - 1) + [(cookie, access)]
      return .success(cookie.text)
    }
    return try outcome.get()
  }

  /// What a key allows; both keys are compared, whichever it is.
  private func access(of offered: some StringProtocol) -> Access? {
    let (isKey, isLookingKey) = (key.equals(offered), lookingKey.equals(offered))
    return isKey ? .all : isLookingKey ? .look : nil
  }

  func setCookie(_ value: String, for head: RequestHead) -> HTTPField {
    HTTPField(
      "Set-Cookie", "\(Self.cookieName(for: head))=\(value); HttpOnly; SameSite=Strict; Path=/")
  }

  /// A browser keeps one set of cookies for all ports of a host: the port that it asks is in the name.
  private static func cookieName(for head: RequestHead) -> String {
    "haprig-" + (Hosts.port(of: head["host"] ?? "").map(String.init) ?? "web")
  }

  /// What a request may do by the key that it carries, or by the cookie that was given for one; `nil` without either.
  func admit(_ head: RequestHead) -> Access? {
    if let bearer = Self.bearer(of: head) { return access(of: bearer) }
    let name = Self.cookieName(for: head)
    for pair in (head["cookie"] ?? "").split(separator: ";") {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == name else { continue }
      let found = state.withLock { $0.cookies.first { $0.secret.equals(parts[1]) } }
      if let found { return found.access }
    }
    return nil
  }

  static func bearer(of head: RequestHead) -> Substring? {
    guard let field = head["authorization"] else { return nil }
    let prefix = "bearer "
    return field.lowercased().hasPrefix(prefix) ? field.dropFirst(prefix.count) : nil
  }
}
