import Devices

/// String descriptors: UTF-16 little-endian after two bytes of head (USB 2.0, 9.6.7).
public enum USBString {
  /// Reads a string descriptor as a person can be shown it.
  ///
  /// An odd byte at the end, halves of surrogate pairs and zeros, which devices are known to send,
  /// become U+FFFD or are cut; control characters become U+FFFD, so that no device writes to a
  /// terminal.
  ///
  /// - Throws: `DescriptorError` where the head is no string descriptor's or longer than what came.
  public static func text(descriptor bytes: [UInt8]) throws(DescriptorError) -> String {
    guard bytes.count >= 2 else {
      throw DescriptorError(offset: 0, reason: "a string of \(bytes.count) bytes has no head")
    }
    guard bytes[1] == 3 else {
      throw DescriptorError(offset: 1, reason: "kind \(bytes[1]) is no string (3)")
    }
    let length = Int(bytes[0])
    guard length >= 2, length <= bytes.count else {
      throw DescriptorError(
        offset: 0, reason: "a string of \(length) bytes, and \(bytes.count) came")
    }
    let units = stride(from: 2, to: length - 1, by: 2).map {
      UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
    }
    return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self).printable
  }
}
