import CSndFile
import Glibc

/// Bytes in memory with a position, as libsndfile's virtual files want them.
struct MemoryCursor {
  let bytes: [UInt8]
  var position = 0

  mutating func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
    let taken = max(0, min(count, bytes.count - position))
    bytes.withUnsafeBytes { source in
      guard taken > 0, let base = source.baseAddress else { return }
      target.copyMemory(from: base + position, byteCount: taken)
    }
    position += taken
    return taken
  }

  mutating func seek(_ offset: Int, from origin: Int32) -> Int {
    let start =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: bytes.count
      default: 0
      }
    let (target, overflow) = start.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }
}

/// The calls through which libsndfile reads a `MemoryCursor`, given to it by its address.
var memoryCalls: SF_VIRTUAL_IO {
  SF_VIRTUAL_IO(
    get_filelen: { cursor($0).map { Int64($0.pointee.bytes.count) } ?? -1 },
    seek: { offset, origin, data in
      cursor(data).map { Int64($0.pointee.seek(Int(offset), from: origin)) } ?? -1
    },
    read: { target, count, data in
      guard let target, let cursor = cursor(data) else { return 0 }
      return Int64(cursor.pointee.read(into: target, count: Int(count)))
    },
    write: { _, _, _ in 0 },
    tell: { cursor($0).map { Int64($0.pointee.position) } ?? -1 })
}

/// The address that `SoundDecoder` gave to libsndfile, which hands it back unchanged.
private func cursor(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<MemoryCursor>? {
  data?.assumingMemoryBound(to: MemoryCursor.self)
}
