// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Units

struct CommandSession: ~Copyable, Sendable {
  var pairing = TakePairing()
  var driveEvents = EventLog()

  private let language: CommandProtocol
  private let log: ProgramLog
  private var child: ChildProcess?
  private var order: [CommandProtocol.ReplyChannel] = []
  private var block: [Float] = []
  private var captured: FrameQueue
  private var sentFrames = 0
  private var answeredBlocks = 0
  private var fault: DeviceError?

  init(_ language: CommandProtocol, log: ProgramLog) {
    self.language = language
    self.log = log
    captured = FrameQueue(channelCount: language.channels.count)
  }

  mutating func start(_ half: TakeHalves) throws(DeviceError) {
    if pairing.start(half) {
      _ = child?.end(patience: 0)
      child = nil
      (order, block, sentFrames, answeredBlocks, fault) = ([], [], 0, 0, nil)
      captured = FrameQueue(channelCount: language.channels.count)
      driveEvents = EventLog()
      log.begin()
      do {
        child = try launch()
        try greet()
      } catch {
        child = nil
        fault = error
        pairing.stop(half)
        throw error
      }
    } else if let fault {
      throw fault
    } else if half == .sensors, sentFrames > 0 {
      pairing.stop(half)
      throw .lateCapture(language.device, after: sentFrames)
    }
  }

  mutating func write(
    _ frames: Span<Float>, isSilent: () -> Bool
  ) throws(DeviceError) -> Int {
    guard pairing.isDriving else { throw fault ?? .notStarted(language.device, "write") }
    if let fault { throw fault }
    let stride = language.driveFormat.channelCount
    for frame in 0..<(frames.count / stride) {
      for channel in 0..<stride {
        block.append(
          isSilent()
            ? 0
            : driveEvents.limited(
              frames[frame * stride + channel], at: sentFrames, of: language.roles[channel],
              language.driveFormat))
      }
      sentFrames += 1
      if block.count == language.driveFormat.periodFrames * stride {
        try exchange(isSilent: isSilent())
      }
    }
    return frames.count / stride
  }

  mutating func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    guard pairing.isCapturing else { throw .notStarted(language.device, "read") }
    let count = captured.move(into: &frames, upTo: sentFrames)
    if count == 0, let fault { throw fault }
    return count
  }

  mutating func stopDrive(isSilent: Bool) throws(DeviceError) {
    guard pairing.isDriving else { return }
    pairing.stop(.drive)
    let whole = language.driveFormat.periodFrames * language.driveFormat.channelCount
    if fault == nil, !block.isEmpty {
      block.append(contentsOf: repeatElement(0, count: whole - block.count))
      try exchange(isSilent: isSilent)
    }
    guard var program = child.take() else { return }
    let patience = min(2, language.command.timeout)
    let exit = program.end(patience: patience)
    if let exit, exit != .code(0) {
      log.append(
        Array("haprig: \(language.program) \(exit) after the end of its input\n".utf8)[...])
    }
  }

  private func launch() throws(DeviceError) -> ChildProcess {
    let command = language.command
    do throws(ChildProcess.Fault) {
      return try ChildProcess(command.arguments, folder: command.folder, log: log)
    } catch {
      guard case .system(let number) = error else {
        throw stopped(error, nil, while: "while it started")
      }
      throw notStarted(number)
    }
  }

  private mutating func greet() throws(DeviceError) {
    let newline = UInt8(ascii: "\n")
    try converse(language.greeting, asking: 0, while: "before its first line") { received in
      received.contains(newline) || received.count > 65_536
    }
    let received = child?.received ?? []
    let end = received.firstIndex(of: newline) ?? received.endIndex
    child?.received = Array(received.dropFirst(end + 1))
    order = try language.channelOrder(of: Array(received[..<end]))
  }

  private mutating func exchange(isSilent: Bool) throws(DeviceError) {
    // Frames of an unfinished block have not been played when silence falls.
    if isSilent { block = [Float](repeating: 0, count: block.count) }
    do {
      let period = language.driveFormat.periodFrames
      let size = period * language.channels.count * 4
      let place =
        "at block \(answeredBlocks), capture frame \(answeredBlocks * period), of \(size) bytes"
      try converse(Self.bytes(of: block), asking: size, while: place) { $0.count >= size }
      block.removeAll(keepingCapacity: true)
      try takeReply(size)
      answeredBlocks += 1
    } catch {
      // Nothing that comes later could be told apart from the rest of this block.
      fault = error
      child = nil
      throw error
    }
  }

  private mutating func converse(
    _ bytes: [UInt8], asking size: Int, while place: String,
    until isComplete: (borrowing [UInt8]) -> Bool
  ) throws(DeviceError) {
    guard var program = child.take() else { throw .notStarted(language.device, "write") }
    do throws(ChildProcess.Fault) {
      try program.converse(
        sending: bytes, asking: size, timeout: language.command.timeout, until: isComplete)
    } catch {
      // What haprig does to it afterwards is not how it ended.
      let exit = program.waitForExit(within: error.isEnd ? 0.5 : 0)
      _ = program.end(patience: 0)
      throw stopped(error, exit, while: place)
    }
    child = consume program
  }

  private mutating func takeReply(_ size: Int) throws(DeviceError) {
    guard let received = child?.received else { return }
    let count = language.channels.count
    var frame = [Float](repeating: 0, count: count)
    for index in 0..<language.driveFormat.periodFrames {
      for (position, channel) in order.enumerated() {
        let place = (index * count + position) * 4
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(received[place + $1]) << (8 * $1) }
        let value = Float(bitPattern: bits) * channel.factor
        guard value.isFinite else {
          let number = answeredBlocks * language.driveFormat.periodFrames + index
          throw language.garbled(
            "the channel '\(language.channels[channel.place].name)' is \(value) at capture frame "
              + "\(number): every sample has to be a finite number")
        }
        frame[channel.place] = value
      }
      if pairing.isCapturing { for value in frame { captured.append(value) } }
    }
    child?.received.removeFirst(size)
  }

  private static func bytes(of samples: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * 4)
    for sample in samples {
      withUnsafeBytes(of: sample.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  private func notStarted(_ number: Int32) -> DeviceError {
    let (folder, name) = (language.command.folder, language.command.arguments[0])
    guard access(folder, X_OK) == 0 else {
      return failure(
        .notFound,
        "the folder '\(folder)' that \(language.program) has to start in cannot be entered", number)
    }
    let reason = String(cString: strerror(number))
    switch number {
    case ENOENT:
      return failure(
        .notFound,
        "the program '\(name)' is not there: name one in PATH, or by its path from '\(folder)'",
        number)
    case EACCES, ENOEXEC:
      return failure(
        .denied, "the program '\(name)' cannot be started (\(reason)): make it executable", number)
    default:
      return failure(.refused, "the program '\(name)' cannot be started: \(reason)", number)
    }
  }

  /// The error of a conversation that stopped at a place, and how the program ended, if it is known.
  private func stopped(
    _ fault: ChildProcess.Fault, _ exit: ChildProcess.Exit?, while place: String
  ) -> DeviceError {
    let (program, last) = (language.program, log.lastLine)
    let words = last.isEmpty ? "it wrote nothing to its standard error" : "its last line: \(last)"
    switch fault {
    case .timedOut:
      return failure(
        .stalled,
        "the program \(program) gave no whole answer for \(language.command.timeout) s \(place): look "
          + "into the program or raise the timeout (\(words))")
    case .ended(let received):
      let end = exit.map { "\($0)" } ?? "closed its standard output"
      return failure(
        .ended, "the program \(program) \(end) \(place), after \(received) bytes of it (\(words))")
    case .flooded:
      return failure(
        .garbled,
        "the program \(program) says far more than it was asked for \(place): it has to answer each "
          + "block of drive frames with one block of capture frames")
    case .system(let number):
      return failure(
        .refused, "the pipe to \(program) failed \(place): \(String(cString: strerror(number)))",
        number)
    }
  }

  private func failure(
    _ code: DeviceError.Code, _ message: String, _ number: Int32? = nil
  ) -> DeviceError {
    DeviceError(code, device: language.device, message: message, errno: number)
  }
}
