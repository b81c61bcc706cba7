import CMessageDigest

/// The SHA-256 of a content, by which a record or a profile names what it came from.
public struct ContentHash: Sendable, Hashable, CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  public let description: String

  /// Hashes bytes: some 300 MB a second.
  public init(of bytes: [UInt8]) {
    var context = SHA2_CTX()
    SHA256Init(&context)
    SHA256Update(&context, bytes, bytes.count)
    self.init(finishing: &context)
  }

  /// Ends the hashing of bytes that were given piece by piece.
  init(finishing context: inout SHA2_CTX) {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256Final(&digest, &context)
    description = digest.map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }

  /// Hashes a text's UTF-8.
  public init(of text: String) { self.init(of: Array(text.utf8)) }
}
