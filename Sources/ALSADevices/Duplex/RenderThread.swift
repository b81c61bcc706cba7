/// What a thread needs before it serves a stream.
enum RenderThread {
  /// How far the loop's stack may reach, generously.
  private static let stackBytes = 65_536

  /// Brings the calling thread's stack into memory, and keeps libasound from printing on it.
  static func prepare() {
    LibraryMessages.silenceThisThread()
    withUnsafeTemporaryAllocation(byteCount: stackBytes, alignment: 16) { stack in
      for place in stride(from: 0, to: stack.count, by: 4096) {
        stack.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
      }
    }
  }
}
