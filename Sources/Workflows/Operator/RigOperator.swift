// SPDX-License-Identifier: Apache-2.0

package import Bench
package import Devices
private import Glibc
package import LiveRuns
import Paths
import RigDevices

package struct RigOperator: Sendable {
  package let version: String
  package let stop: StopSignal
  private let listener: @Sendable (LiveEvent) -> Void
  let live: LiveWriter?
  private let hands: @Sendable (String) -> String?

  /// `hands` returns the line that was given when something was done: `nil` where nobody answers, or asked to stop.
  ///
  /// `listener` is called from any thread, and `live` is told the same, where others may watch.
  package init(
    version: String, stop: StopSignal = StopSignal(), live: LiveWriter? = nil,
    listener: @escaping @Sendable (LiveEvent) -> Void = { _ in },
    hands: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.version = version
    self.stop = stop
    self.live = live
    self.listener = listener
    self.hands = hands
  }

  var software: String { "haprig \(version)" }

  package func tell(_ event: LiveEvent) {
    listener(event)
    if let fault = live?.tell(event) { listener(.notice(.note, fault)) }
  }

  func notice(_ level: LiveEvent.NoticeLevel, _ text: String) { tell(.notice(level, text)) }

  func ask(_ request: String) -> Bool { answer(to: request) != nil }

  func answer(to request: String) -> String? {
    tell(.ask(request))
    return hands(request)
  }

  /// Whether anybody but the terminal may look.
  var isWatched: Bool { live != nil }

  /// Where the next take begins in the waves.
  var nextFrame: Int { live?.nextFrame ?? 0 }

  /// Who looks at the signals of a rig that was opened, if anybody does.
  func tap(_ rig: RigDescription) -> (any SignalTap)? {
    guard let live else { return nil }
    let tap = live.tap(rig)
    if let fault = live.takeNotice() { listener(.notice(.note, fault)) }
    return tap
  }

  /// Ends the work where somebody asked to stop; `where` goes on from "stopped by signal 2".
  package func check(_ where: String) throws(WorkflowError) {
    if let number = stop.requested { throw .stopped(by: number, `where`) }
  }
}

package enum WorkflowError: Error, Sendable, CustomStringConvertible {
  /// Somebody asked to stop: the number of the signal, and what became of the work.
  case stopped(by: Int32, String)
  case fault(String)
  /// Another process is at this work already.
  case held(String)
  /// A device's fault, and what is left to go on with.
  case ended(DeviceError, String)

  package var description: String {
    switch self {
    case .stopped(let number, let rest): "stopped by signal \(number)\(rest)"
    case .fault(let sentence), .held(let sentence): sentence
    case .ended(let error, let rest): "\(error); \(rest)"
    }
  }
}

extension InputError {
  /// What is thrown of a file or folder that a person named, with its place before the sentence.
  package static func naming<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw InputError("\(place)\(error)")
    }
  }
}

package struct OpenSession {
  /// The rig with what its devices themselves had to say.
  package let rig: RigDescription
  package let session: Session
  private let open: OpenRig

  /// Opens a rig that its operator may stop; one that does not record is refused with the objection.
  ///
  /// The signals of a rig that is not the work's own nobody looks at.
  package init(
    _ rig: RigDescription, responseSkip: Int = 0, isOwn: Bool = true, without objection: String,
    by user: RigOperator
  ) throws {
    open = try OpenRig(rig, responseSkip: responseSkip, slack: .recorded, stop: user.stop) {
      user.notice(.device, $0)
    }
    guard let input = open.input else { throw InputError(objection) }
    self.rig = open.description
    session = Session(
      rig: open.description, output: open.output, input: input, stop: user.stop,
      isPaced: open.isPaced, tap: isOwn ? user.tap(open.description) : nil)
  }

  package func finish() throws { try open.finish() }
}

package enum Host {
  package static var name: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
      ?? "unknown"
  }

  /// A moment by the universal clock, in the form of `strftime`; now where none is given.
  package static func time(_ pattern: String, at moment: Int? = nil) -> String {
    var seconds = moment ?? Glibc.time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A path from the root, whatever folder another process works in.
  package static func fromRoot(_ path: String) -> String {
    guard !path.hasPrefix("/"), let working = getcwd(nil, 0) else { return path }
    defer { free(working) }
    return path == "."
      ? String(cString: working) : FilePath.join(String(cString: working), path)
  }

  package static var secondsSince1970: Int { Glibc.time(nil) }

  /// The name of the user whose program this is.
  package static var user: String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else {
      return getenv("USER").map { String(cString: $0) } ?? "user \(getuid())"
    }
    return String(cString: name)
  }
}
