import Glibc

/// One open file descriptor, closed when it goes or before.
struct Descriptor: ~Copyable, Sendable {
  /// The number; -1 once it is closed, which `poll` passes over.
  private(set) var number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { if number >= 0 { Glibc.close(number) } }

  var isOpen: Bool { number >= 0 }

  /// Closes it before its time.
  mutating func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }
}

/// The two ends of a pipe; programs that are started inherit neither.
struct Pipe: ~Copyable {
  let reading: Descriptor
  let writing: Descriptor

  /// Makes a pipe, or throws why the system has none.
  init() throws(ChildProcess.Fault) {
    var ends: (reading: Int32, writing: Int32) = (-1, -1)
    let failure = GlibcExtensions.makePipe(&ends)
    guard failure == 0 else { throw .system(failure) }
    reading = Descriptor(ends.reading)
    writing = Descriptor(ends.writing)
  }

  /// Keeps the end that is written to and closes the other.
  consuming func keepingWriter() -> Descriptor { writing }

  /// Keeps the end that is read from and closes the other.
  consuming func keepingReader() -> Descriptor { reading }
}
