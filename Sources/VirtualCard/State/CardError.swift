import Glibc

/// Why a card cannot be opened, as libasound reports it: an error number and a sentence.
struct CardError: Error, CustomStringConvertible {
  /// The value of `errno` that stands for it, positive.
  let number: Int32
  /// One sentence: what, where, what was expected, what to do.
  let message: String

  var description: String { message }

  init(_ number: Int32, _ message: String) {
    self.number = number
    self.message = message
  }

  /// What the system said of a call on a file.
  static func system(_ action: String, _ path: String) -> CardError {
    let number = errno
    return CardError(number, "cannot \(action) \(path): \(String(cString: strerror(number)))")
  }
}
