package import Bench
package import Devices
private import Glibc
import RigDevices

package struct RigOperator: Sendable {
  package let version: String
  package let stop: StopSignal
  private let listener: @Sendable (WorkflowEvent) -> Void
  private let hands: @Sendable (String) -> String?

  /// `hands` returns the line that was given when something was done: `nil` where nobody answers, or asked to stop.
  ///
  /// `listener` is called from any thread.
  package init(
    version: String, stop: StopSignal = StopSignal(),
    listener: @escaping @Sendable (WorkflowEvent) -> Void = { _ in },
    hands: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.version = version
    self.stop = stop
    self.listener = listener
    self.hands = hands
  }

  var software: String { "haprig \(version)" }

  func tell(_ event: WorkflowEvent) { listener(event) }

  func notice(_ kind: WorkflowNotice, _ text: String) { listener(.notice(kind, text)) }

  func ask(_ request: String) -> Bool { hands(request) != nil }

  func answer(to request: String) -> String? { hands(request) }

  /// Ends the work where somebody asked to stop; `where` goes on from "stopped by signal 2".
  func check(_ where: String) throws(WorkflowError) {
    if let number = stop.requested { throw .stopped(by: number, `where`) }
  }
}

package enum WorkflowEvent: Sendable {
  case notice(WorkflowNotice, String)
  case run(PlanRun.Progress, takes: Int)
  case segment(SegmentRun.Progress)
  /// Something without parts of its own got on: what it is, and the share 0...1 that is done.
  case step(String, share: Double)
  case idle
}

package enum WorkflowNotice: Sendable {
  /// A device, or the program that stands for one, says so.
  case device
  /// Something is not as it should be, and the work goes on.
  case warning
  /// Worth knowing, and nothing that went wrong.
  case note
  /// A step by hand is done.
  case done
  /// A step by hand or a recording is to be repeated.
  case again
  /// A drive is not what its pattern asks for.
  case drive
}

package enum WorkflowError: Error, Sendable, CustomStringConvertible {
  /// Somebody asked to stop: the number of the signal, and what became of the work.
  case stopped(by: Int32, String)
  case fault(String)
  /// A device's fault, and what is left to go on with.
  case ended(DeviceError, String)

  package var description: String {
    switch self {
    case .stopped(let number, let rest): "stopped by signal \(number)\(rest)"
    case .fault(let sentence): sentence
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
  package init(
    _ rig: RigDescription, responseSkip: Int = 0, without objection: String, by user: RigOperator
  ) throws {
    open = try OpenRig(rig, responseSkip: responseSkip, slack: .recorded, stop: user.stop) {
      user.notice(.device, $0)
    }
    guard let input = open.input else { throw InputError(objection) }
    self.rig = open.description
    session = Session(
      rig: open.description, output: open.output, input: input, stop: user.stop,
      isPaced: open.isPaced)
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

  package static func time(_ pattern: String) -> String {
    var seconds = Glibc.time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
