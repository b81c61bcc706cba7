private import Glibc

/// What a record says of when and where.
package enum Host {
  package static var name: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
      ?? "unknown"
  }

  /// The time now in UTC, by a pattern of `strftime` that depends on no locale.
  package static func time(_ pattern: String) -> String {
    var seconds = Glibc.time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package static var secondsSince1970: Int { Glibc.time(nil) }

  /// Seconds of a clock that only goes forward.
  package static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}
