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

/// The key that the start line shows, and the cookies that were given for it.
final class Keys: Sendable {
  let key = Secret()
  let cookieName: String
  private let state = Guarded(State())

  private struct State {
    var cookies: [Secret] = []
    var wrong: [Double] = []
  }

  /// Cookies that are known at once; the oldest is forgotten.
  static let mostCookies = 64
  static let mostWrongKeys = 10

  init(cookieName: String) { self.cookieName = cookieName }

  /// Gives a cookie for the key; `now` in seconds.
  func cookie(for offered: String, now: Double) throws(HTTPFault) -> String {
    let outcome = state.withLock { state -> Result<String, HTTPFault> in
      state.wrong.removeAll { now - $0 >= 60 }
      guard state.wrong.count < Self.mostWrongKeys else {
        return .failure(
          HTTPFault(429, "too-many-keys", "too many wrong keys: wait for a minute")
            .with("Retry-After", "60"))
      }
      guard key.equals(offered) else {
        state.wrong.append(now)
        return .failure(
          HTTPFault(401, "wrong-key", "this is not the key that 'haprig serve' showed"))
      }
      let cookie = Secret()
      state.cookies = state.cookies.suffix(Self.mostCookies - 1) + [cookie]
      return .success(cookie.text)
    }
    return try outcome.get()
  }

  func setCookie(_ value: String) -> HTTPField {
    HTTPField("Set-Cookie", "\(cookieName)=\(value); HttpOnly; SameSite=Strict; Path=/")
  }

  /// Whether a request carries the key or a cookie that was given for it.
  func admit(_ head: RequestHead) -> Bool {
    if let bearer = Self.bearer(of: head) { return key.equals(bearer) }
    for pair in (head["cookie"] ?? "").split(separator: ";") {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == cookieName else { continue }
      if state.withLock({ state in state.cookies.contains { $0.equals(parts[1]) } }) {
        return true
      }
    }
    return false
  }

  static func bearer(of head: RequestHead) -> Substring? {
    guard let field = head["authorization"] else { return nil }
    let prefix = "bearer "
    return field.lowercased().hasPrefix(prefix) ? field.dropFirst(prefix.count) : nil
  }
}
