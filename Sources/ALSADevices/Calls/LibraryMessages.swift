import CALSA
import Devices
import Glibc

/// What libasound says beside its error numbers, kept instead of printed.
enum LibraryMessages {
  /// Runs a call into libasound and returns its number with what the library said about it.
  static func hear(_ call: () -> Int32) -> (code: Int32, text: String) {
    let thread = UInt(pthread_self())
    messages.withLock { $0[thread] = "" }
    let before = snd_lib_error_set_local(hearMessage)
    let code = call()
    _ = snd_lib_error_set_local(before)
    return (code, messages.withLock { $0.removeValue(forKey: thread) } ?? "")
  }

  /// Makes the library say nothing on the calling thread: a loop has no time to listen.
  static func silenceThisThread() { _ = snd_lib_error_set_local(ignoreMessage) }

  /// The library's sentence for an error number.
  ///
  /// Corresponds to `snd_strerror`.
  static func sentence(_ code: Int32) -> String {
    snd_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

// The library calls back on the thread that called it, without a context: one text for each thread.
private let messages = Guarded<[UInt: String]>([:])

private func hearMessage(
  _ file: UnsafePointer<CChar>?, _ line: Int32, _ function: UnsafePointer<CChar>?,
  _ error: Int32, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {
  guard let format, let arguments else { return }
  var text = [CChar](repeating: 0, count: 512)
  vsnprintf(&text, text.count, format, arguments)
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  let sentence = String(decoding: bytes, as: UTF8.self)
  let thread = UInt(pthread_self())
  messages.withLock {
    guard let said = $0[thread] else { return }
    $0[thread] = said.isEmpty ? sentence : "\(said); \(sentence)"
  }
}

private func ignoreMessage(
  _ file: UnsafePointer<CChar>?, _ line: Int32, _ function: UnsafePointer<CChar>?,
  _ error: Int32, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {}
