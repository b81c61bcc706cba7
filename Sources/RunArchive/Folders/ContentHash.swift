// SPDX-License-Identifier: Apache-2.0

import CMessageDigest
private import Glibc

/// The SHA-256 of a content, by which a record or a profile names what it came from.
public struct ContentHash: Sendable, Hashable, CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  public let description: String

  /// Hashes bytes: more than 1 GB a second where the processor has instructions for it.
  public init(of bytes: [UInt8]) {
    var hasher = ContentHasher()
    hasher.update(bytes, count: bytes.count)
    self = hasher.finish()
  }

  /// Hashes a text's UTF-8.
  public init(of text: String) { self.init(of: Array(text.utf8)) }

  /// Hashes an open file from its beginning, a megabyte in memory; nil where it cannot be read.
  package init?(descriptor: Int32) {
    var hasher = ContentHasher()
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var place = 0
    while true {
      let count = pread(descriptor, &piece, piece.count, off_t(place))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      hasher.update(piece, count: count)
      place += count
    }
    self = hasher.finish()
  }

  fileprivate init(digest: [UInt8]) {
    description = digest.map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}

/// Hashes a content that comes piece by piece.
///
/// Corresponds to OpenSSL's `EVP_Digest*`, which fail for want of memory alone.
struct ContentHasher: ~Copyable {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("no memory for a hash")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: [UInt8], count: Int) {
    precondition(count <= bytes.count, "\(count) of \(bytes.count) bytes")
    guard EVP_DigestUpdate(context, bytes, count) == 1 else { fatalError("no memory for a hash") }
  }

  consuming func finish() -> ContentHash {
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { fatalError("no memory for a hash") }
    return ContentHash(digest: digest)
  }
}

/// SHA-1, which the opening of a WebSocket is confirmed by (RFC 6455, 4.2.2) and nothing is kept safe by.
package enum SHA1 {
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil) == 1 else {
      fatalError("no memory for a hash")
    }
    return digest
  }
}
