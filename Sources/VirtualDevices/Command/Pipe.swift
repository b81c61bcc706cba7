// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One open file descriptor, closed when it goes or before.
struct Descriptor: ~Copyable, Sendable {
  /// The number; -1 once it is closed, which `poll` passes over.
  private(set) var number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { if number >= 0 { Glibc.close(number) } }

  var isOpen: Bool { number >= 0 }

  mutating func close() {
    if number >= 0 { Glibc.close(number) }
    number = -1
  }
}

/// The two ends of a pipe; programs that are started inherit neither.
struct Pipe: ~Copyable {
  let reading: Descriptor
  let writing: Descriptor

  init() throws(ChildProcess.Fault) {
    var ends: (reading: Int32, writing: Int32) = (-1, -1)
    let failure = GlibcExtensions.makePipe(&ends)
    guard failure == 0 else { throw .system(failure) }
    reading = Descriptor(ends.reading)
    writing = Descriptor(ends.writing)
  }
}

/// Calls that glibc declares only to sources with _GNU_SOURCE, which Swift's module of it lacks.
///
/// They are found by name in the library that is loaded anyway; glibc has them since 2.29 and 2.9.
enum GlibcExtensions {
  /// Lets a program start in a folder; corresponds to `posix_spawn_file_actions_addchdir_np`.
  static func addChangeOfFolder(
    _ actions: inout posix_spawn_file_actions_t, _ folder: String
  ) -> Int32 {
    typealias Function =
      @convention(c) (
        UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
      ) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return ENOSYS }
    return unsafeBitCast(symbol, to: Function.self)(&actions, folder)
  }

  /// Closes every descriptor from a number on in a program that starts.
  ///
  /// Corresponds to `posix_spawn_file_actions_addclosefrom_np`, which glibc has since 2.34; before
  /// that, a program inherits what others have left open to it.
  static func addCloseFrom(
    _ actions: inout posix_spawn_file_actions_t, _ number: Int32
  ) -> Int32 {
    typealias Function =
      @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return 0 }
    return unsafeBitCast(symbol, to: Function.self)(&actions, number)
  }

  /// Makes a pipe that programs started by any thread do not inherit.
  ///
  /// Corresponds to `pipe2`. Returns the error number, or 0.
  static func makePipe(_ ends: inout (reading: Int32, writing: Int32)) -> Int32 {
    typealias Function = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    guard let symbol = dlsym(nil, "pipe2") else { return ENOSYS }
    var numbers: [Int32] = [-1, -1]
    guard unsafeBitCast(symbol, to: Function.self)(&numbers, O_CLOEXEC) == 0 else { return errno }
    ends = (numbers[0], numbers[1])
    return 0
  }
}
