// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import RigDevices
import ScratchFolder
import Testing

/// One process at a time uses a rig, and the rig is free again however that process ends.
struct RigLockTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private var folder: String { scratch.file("locks") }

  /// Takes a lock that is not to be had, and gives why.
  private func refusal(of rig: String, in folder: String) -> DeviceError? {
    do throws(DeviceError) {
      _ = try RigLock(rig: rig, folder: folder)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a second taker is told who holds the rig`() throws {
    let lock = try RigLock(rig: "bench-1", folder: folder)
    let error = try #require(refusal(of: "bench-1", in: folder))
    #expect(error.code == .busy)
    #expect(error.device == "bench-1")
    #expect(error.message.contains("process \(getpid())"), "\(error.message)")
    #expect(error.message.contains("haprig stop"), "\(error.message)")
    _ = consume lock
  }

  @Test func `a rig is free again once its lock is gone`() throws {
    do {
      let lock = try RigLock(rig: "bench-1", folder: folder)
      #expect(RigLock.holdings(folder: folder).count == 1)
      _ = consume lock
    }
    #expect(RigLock.holdings(folder: folder) == [])
    #expect(refusal(of: "bench-1", in: folder) == nil)
  }

  @Test func `a refused taker leaves the holder's lock and number as they are`() throws {
    let lock = try RigLock(rig: "bench-1", folder: folder)
    for _ in 0..<3 { #expect(refusal(of: "bench-1", in: folder)?.code == .busy) }
    #expect(RigLock.holdings(folder: folder).map(\.process) == [getpid()])
    _ = consume lock
  }

  @Test func `rigs are locked one by one and listed by name`() throws {
    let second = try RigLock(rig: "b", folder: folder)
    let first = try RigLock(rig: "a", folder: folder)
    let held = RigLock.holdings(folder: folder)
    #expect(held.map(\.rig) == ["a", "b"])
    #expect(held.allSatisfy { $0.process == getpid() })
    _ = consume first
    #expect(RigLock.holdings(folder: folder).map(\.rig) == ["b"])
    _ = consume second
  }

  @Test func `a look at the holdings takes nothing away`() throws {
    let lock = try RigLock(rig: "a", folder: folder)
    let before = RigLock.holdings(folder: folder)
    #expect(RigLock.holdings(folder: folder) == before)
    _ = consume lock
    _ = RigLock.holdings(folder: folder)
    #expect(refusal(of: "a", in: folder) == nil)
  }

  @Test func `where nobody ever locked a rig none is held`() {
    #expect(RigLock.holdings(folder: scratch.file("nowhere")) == [])
  }

  @Test func `a rig is free again when its holder is killed`() throws {
    let holder = try Holder(of: "bench-1", in: folder)
    let error = try #require(refusal(of: "bench-1", in: folder))
    #expect(error.code == .busy)
    #expect(error.message.contains("process \(holder.process)"), "\(error.message)")
    #expect(
      RigLock.holdings(folder: folder).map { "\($0.rig) \($0.process)" }
        == ["bench-1 \(holder.process)"])
    holder.kill()
    // Its number still stands in the file, and means nothing.
    #expect(ScratchFolder.text(folder + "/bench-1.rig") == "\(holder.process)\n")
    #expect(RigLock.holdings(folder: folder) == [])
    let lock = try RigLock(rig: "bench-1", folder: folder)
    #expect(RigLock.holdings(folder: folder).map(\.process) == [getpid()])
    _ = consume lock
  }

  @Test(arguments: [(29, false), (31, true)])
  func `a holder that gives no sign for half a minute loses the rig, and its life`(
    age: Int, isHung: Bool
  ) throws {
    // sh writes its own number, and a sign of the past.
    let sign = Int(MonotonicClock.seconds) - age
    let holder = try Holder(of: "bench-1", in: folder, text: "%s \(sign)\\n' $$ '")
    let error = refusal(of: "bench-1", in: folder)
    #expect((error == nil) == isHung, "\(String(describing: error))")
    var status: Int32 = 0
    #expect((waitpid(holder.process, &status, WNOHANG) == holder.process) == isHung)
    if !isHung { holder.kill() }
  }

  @Test func `a holder that is well gives signs, and loses nothing`() throws {
    let lock = try RigLock(rig: "bench-1", folder: folder)
    let words = try #require(ScratchFolder.text(folder + "/bench-1.rig")).split(separator: " ")
    #expect(words.first == "\(getpid())")
    let sign = try #require(words.dropFirst().first.flatMap { Double($0) })
    #expect(abs(sign - MonotonicClock.seconds) <= 6)
    #expect(refusal(of: "bench-1", in: folder)?.code == .busy)
    _ = consume lock
  }

  @Test func `a holder that left no number is still a holder`() throws {
    let holder = try Holder(of: "bench-1", in: folder, text: "")
    let error = try #require(refusal(of: "bench-1", in: folder))
    #expect(error.code == .busy)
    #expect(error.message.contains("another process"), "\(error.message)")
    holder.kill()
  }

  @Test(arguments: ["", ".", "..", "../outside", "/etc/rig", "a b", "r\u{E9}glage", "a\nb", "-rf"])
  func `a rig of any name has its lock in the folder`(name: String) throws {
    let lock = try RigLock(rig: name, folder: folder)
    #expect(refusal(of: name, in: folder)?.code == .busy, "\(name)")
    #expect(ScratchFolder.names(in: folder).count == 1, "\(name)")
    #expect(scratch.names == ["locks"], "\(name)")
    #expect(RigLock.holdings(folder: folder).map(\.rig) == [RigLock.fileName(of: name)])
    _ = consume lock
  }

  @Test func `a name keeps letters, digits and some signs, and loses all others`() {
    #expect(RigLock.fileName(of: "Bench-1.left_0") == "Bench-1.left_0")
    #expect(RigLock.fileName(of: "a/b c\n") == "a_b_c_")
    #expect(RigLock.fileName(of: "\u{E9}") == "__")
  }

  @Test func `where no lock file can be made the person is told what to set`() throws {
    try scratch.write("no folder", to: "file")
    let error = try #require(refusal(of: "bench-1", in: scratch.file("file")))
    #expect(error.code == .denied)
    #expect(error.message.contains("'\(scratch.file("file"))'"), "\(error.message)")
    #expect(error.message.contains("set XDG_RUNTIME_DIR"), "\(error.message)")
  }

  @Test func `a folder that others may write in holds no locks`() throws {
    let folder = scratch.file("open")
    #expect(mkdir(folder, 0o700) == 0)
    #expect(chmod(folder, 0o777) == 0)
    let error = try #require(refusal(of: "bench-1", in: folder))
    #expect(error.code == .denied)
    #expect(RigLock.holdings(folder: folder).isEmpty)
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may write everywhere"))
  func `a folder that may not be written to is denied`() throws {
    mkdir(folder, 0o500)
    #expect(refusal(of: "bench-1", in: folder)?.code == .denied)
  }

  @Test func `a link in the place of a lock file is not followed`() throws {
    mkdir(folder, 0o700)
    let target = try scratch.write("precious", to: "target")
    #expect(symlink(target, folder + "/bench-1.rig") == 0)
    let error = try #require(refusal(of: "bench-1", in: folder))
    #expect(error.code == .denied)
    #expect(error.errno == ELOOP)
    #expect(ScratchFolder.text(target) == "precious")
    #expect(RigLock.holdings(folder: folder) == [])
  }

  @Test func `files that are no locks are not looked at`() throws {
    let lock = try RigLock(rig: "a", folder: folder)
    for name in ["b.txt", "rig", "c.rig.bak"] { try scratch.write("1\n", to: "locks/" + name) }
    try scratch.write("1\n", to: "locks/free.rig")
    #expect(RigLock.holdings(folder: folder).map(\.rig) == ["a"])
    _ = consume lock
  }
}

/// Another process that holds the lock of a rig.
private struct Holder {
  let process: pid_t

  /// Starts flock(1) on the lock file and waits until it has the lock; `text` replaces its number.
  init(of rig: String, in folder: String, text: String? = nil) throws {
    mkdir(folder, 0o700)
    let path = "\(folder)/\(rig).rig"
    let ready = "\(folder)/ready"
    // The shell's own number, which the process keeps through both of its changes of program.
    let note = text.map { "printf '\($0)'" } ?? "echo $$"
    let script = "\(note) > \"$1\"; : > \"$2\"; exec sleep 600"
    let arguments = ["flock", "--no-fork", path, "sh", "-c", script, "sh", path, ready]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var started: pid_t = 0
    try #require(posix_spawnp(&started, "flock", nil, nil, &words, environ) == 0)
    process = started
    while access(ready, F_OK) != 0 {
      var status: Int32 = 0
      try #require(waitpid(started, &status, WNOHANG) == 0, "flock ended with \(status)")
      usleep(2_000)
    }
  }

  /// Kills it as a person would who has lost patience.
  func kill() {
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }
}
