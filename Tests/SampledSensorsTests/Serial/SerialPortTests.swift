// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Glibc
import ScratchFolder
import Testing
import Units

@testable import SampledSensors

struct SerialPortTests {
  private static let columns: [SensorField] = [.counter(bits: 32), .axis(0), .axis(1), .axis(2)]

  private func description(
    _ path: String, content: SerialDescription.Content = .lines(columns, scale: 0.5),
    timeout: Double = 3
  ) -> SerialDescription {
    SerialDescription(path: path, content: content, sampleRate: 1000, timeout: timeout)
  }

  private func rig(_ serial: SerialDescription, inputs: [Int] = [3]) -> RigDescription {
    .sampled(.serial, inputs: inputs, serial: serial)
  }

  private func lines(_ range: Range<Int>) -> String {
    range.map { "\($0),0,0,4\n" }.joined()
  }

  /// Reads until so many events are there, or an error.
  private func events(_ source: SerialSource, samples: Int) throws -> [SensorEvent] {
    var found: [SensorEvent] = []
    var count = 0
    while count < samples {
      for event in try source.read(milliseconds: 1000) {
        found.append(event)
        if case .sample = event { count += 1 }
      }
    }
    return found
  }

  private func source(
    _ pair: PseudoPort, _ content: SerialDescription.Content = .lines(columns, scale: 0.5)
  ) throws -> SerialSource {
    let description = description(pair.path, content: content)
    let port = try SerialPort(description, rig: "bench", files: SystemFiles())
    return SerialSource(port, content: content)
  }

  @Test func `lines through a real terminal are samples, cut and lost bytes are told`() throws {
    let pair = try #require(PseudoPort())
    let source = try source(pair)
    // A line in the middle, two whole ones, one cut in its middle, garbage, one that runs into the next.
    pair.write("7,1,2\n")
    pair.write("8,1,2,3\r\n9,1,2,3\r\n10,1\n\u{1}\u{3}\u{4}\u{13}\u{0}\n11,1,12,1,2,3\n13,1,2,3\n")
    let found = try events(source, samples: 3)
    var tally = SensorTally(counterBits: 32)
    let used = found.compactMap { tally.note($0) }
    #expect(used.map(\.counter) == [8, 9, 13])
    #expect(used.map(\.acceleration) == Array(repeating: [0.5, 1, 1.5], count: 3))
    #expect(tally.lostCount == 3)
    #expect(tally.damagedCount == 2)
  }

  @Test func `bytes that a cooked terminal would change come as they are`() throws {
    let pair = try #require(PseudoPort())
    let format = BinaryFormat(
      magic: [0x0d, 0x03], fields: [.init(.u8, .counter(bits: 8)), .init(.i16, .axis(0))],
      check: .sum8, scale: 1)
    let source = try source(pair, .packets(format))
    var bytes: [UInt8] = []
    for counter in UInt8(0)...255 {
      let packet: [UInt8] = [0x0d, 0x03, counter, 0x11, counter]
      bytes += packet + [packet.reduce(0, &+)]
    }
    pair.write(bytes)
    let used = try events(source, samples: 256)
    #expect(used.count == 256)
  }

  @Test func `after a loss packets are found again`() throws {
    let pair = try #require(PseudoPort())
    let source = try source(pair, .packets(.witMotion))
    let packet: [UInt8] = [0x55, 0x51, 0, 8, 0, 0, 0, 0, 0, 0, 0xae]
    pair.write(packet + packet.dropFirst(4) + [0x55] + packet + packet.dropLast(3) + packet)
    let found = try events(source, samples: 3)
    let samples = found.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    #expect(samples.map(\.acceleration) == Array(repeating: [9.80665, 0, 0], count: 3))
  }

  @Test func `an unplugged port is an error, not an end`() throws {
    let pair = try #require(PseudoPort())
    let source = try source(pair)
    pair.write("1,0,0,0\n2,0,0,0\n")
    _ = try events(source, samples: 1)
    pair.unplug()
    let error = #expect(throws: DeviceError.self) {
      while true { _ = try source.read(milliseconds: 1000) }
    }
    #expect(error?.code == .unplugged)
    #expect(error?.message == "'\(pair.path)' was unplugged: plug it in again")
  }

  @Test func `a port is one program's, and as it was afterwards`() throws {
    let pair = try #require(PseudoPort())
    let descriptor = open(pair.path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    var before = termios()
    tcgetattr(descriptor, &before)
    do {
      let first = try SerialPort(description(pair.path), rig: "bench", files: SystemFiles())
      let error = #expect(throws: DeviceError.self) {
        _ = try SerialPort(description(pair.path), rig: "bench", files: SystemFiles())
      }
      #expect(error?.code == .busy)
      var raw = termios()
      tcgetattr(descriptor, &raw)
      #expect(raw.c_lflag & tcflag_t(ICANON) == 0)
      _ = first.path
    }
    var after = termios()
    tcgetattr(descriptor, &after)
    #expect(after.c_lflag == before.c_lflag)
    #expect(after.c_iflag == before.c_iflag)
  }

  @Test func `a port is free again though a program that is being started has its descriptor`()
    throws
  {
    let pair = try #require(PseudoPort())
    let system = SystemFiles()
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    do {
      let first = try SerialPort(description(pair.path), rig: "bench", files: system)
      let own = system.names("/proc/self/fd").filter {
        system.link("/proc/self/fd/\($0)") == first.path
      }
      copies = own.compactMap { Int32($0) }.map { dup($0) }
    }
    #expect(copies.count == 1)
    _ = try SerialPort(description(pair.path), rig: "bench", files: system)
  }

  @Test func `no port of the name lists those that are there`() throws {
    let folder = try SystemTree()
    try folder.write("", to: "dev/ttyACM3")
    try folder.write("", to: "dev/ttyUSB0")
    try folder.link("dev/serial/by-id/usb-maker_breakout-if00", to: "../../ttyACM3")
    let files = SystemFiles(root: folder.root)
    let error = #expect(throws: DeviceError.self) {
      _ = try SerialPort(description("/dev/haprig-none"), rig: "bench", files: files)
    }
    #expect(error?.code == .notFound)
    #expect(
      error?.message.contains(
        "(there is /dev/serial/by-id/usb-maker_breakout-if00, /dev/ttyUSB0)") == true)
  }

  @Test func `what is no terminal is refused`() throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try SerialPort(description("/dev/null"), rig: "bench", files: SystemFiles())
    }
    #expect(error?.message.contains("'/dev/null' is no serial port") == true)
  }

  @Test func `an axis that the stream does not have is refused`() throws {
    let pair = try #require(PseudoPort())
    let error = #expect(throws: DeviceError.self) {
      _ = try SerialRig(
        rig(description(pair.path, content: .lines([.axis(0)], scale: 1)), inputs: [1, 2]))
    }
    #expect(error?.message.contains("no axis for input 2 of channel 'axis2'") == true)
  }

  /// Sensors on a breakout that has said something.
  private func sensors(_ pair: PseudoPort, timeout: Double = 3) throws -> SampledSensors {
    pair.write("0,0,0,0\n1,0,0,0\n")
    return try SerialRig(rig(description(pair.path, timeout: timeout))).sensors
  }

  private func read(_ sensors: SampledSensors, frames: Int) throws -> [Float] {
    var all: [Float] = []
    var block = [Float](repeating: -1, count: 1024)
    while all.count < frames {
      var span = block.mutableSpan
      let count = try sensors.read(into: &span)
      all += block[..<count]
    }
    return all
  }

  @Test func `a take has as many frames as were driven, in m/s2`() throws {
    // Samples are laid by when they came: a reader that was late by more than half a second finds none in
    // time, and says so. Such takes prove nothing, and another one is made.
    var heard = 0
    for _ in 0..<40 where heard == 0 {
      let pair = try #require(PseudoPort())
      let sensors = try sensors(pair)
      try sensors.start()
      // 1.4 s of samples at once, the latest of them just now: the drive began 1.3 s ago.
      let start = hostNanoseconds() - 1_300_000_000
      pair.write("0,0,0,0\n" + lines(0..<1400))
      sensors.follow(frames: 4000, clock: ClockReading(frame: 80, nanoseconds: start + 10_000_000))
      sensors.endDrive()
      let all = try read(sensors, frames: 4000)
      #expect(all.count == 4000)
      let lost = Set(
        sensors.takeEvents().flatMap { Array($0.frames) }.filter(all.indices.contains))
      heard = all.count - lost.count
      // Where the reader was not late the axis reads 4 steps of 0.5 m/s2.
      for frame in all.indices {
        #expect(abs(all[frame] - (lost.contains(frame) ? 0 : 2)) < 1e-3, "frame \(frame)")
      }
      var block: [Float] = [0]
      var span = block.mutableSpan
      #expect(try sensors.read(into: &span) == 0)
      try sensors.stop()
    }
    #expect(heard > 0)
  }

  @Test func `a breakout that says nothing is refused within its time`() throws {
    let pair = try #require(PseudoPort())
    let error = #expect(throws: DeviceError.self) {
      _ = try SerialRig(rig(description(pair.path, timeout: 0.05)))
    }
    #expect(error?.code == .stalled)
    #expect(error?.message.contains("nothing came from '\(pair.path)' for 0.05 s") == true)
  }

  @Test func `a breakout that falls silent ends the take, and the next take works`() throws {
    let pair = try #require(PseudoPort())
    let sensors = try sensors(pair, timeout: 0.2)
    try sensors.start()
    sensors.follow(frames: 100, clock: nil)
    sensors.endDrive()
    let error = #expect(throws: DeviceError.self) { _ = try read(sensors, frames: 100) }
    #expect(error?.code == .stalled)
    try sensors.stop()
    try sensors.start()
    let start = hostNanoseconds() - 100_000_000
    pair.write("0,0,0,0\n" + lines(0..<300))
    sensors.follow(frames: 100, clock: ClockReading(frame: 0, nanoseconds: start))
    sensors.endDrive()
    #expect(try read(sensors, frames: 100).count == 100)
    try sensors.stop()
  }

  @Test func `an unplug in the midst of a take ends it`() throws {
    let pair = try #require(PseudoPort())
    let sensors = try sensors(pair)
    try sensors.start()
    pair.write(lines(0..<20))
    sensors.follow(frames: 100_000, clock: nil)
    sensors.endDrive()
    pair.unplug()
    let error = #expect(throws: DeviceError.self) { _ = try read(sensors, frames: 100_000) }
    #expect(error?.code == .unplugged)
    try sensors.stop()
  }
}
