// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Foundation
import Glibc
import Synchronization
import USBDevices
import USBModels
import USBTransport
import Units

/// What a packet costs on its way through the USB transport, and a frame through a board's engine.
///
/// Both on a bus in this process, whose clock is its own: what is counted is the program's work.
struct USBBenchmark {
  static let rate = 48_000.0

  /// Prints all rows.
  func report() {
    print("USB, on a bus in this process")
    let packets = 100_000
    let transport = best(of: 3) { _ = try? Self.passPackets(packets) }
    let bare = best(of: 3) { _ = Self.passBare(packets) }
    let each = transport / Double(packets) * 1e9
    row(
      "a packet of 64 bytes, submit to recycled", "\(Int(each.rounded())) ns",
      "\(ratio(transport, bare)) of the device's own part; aim below 5 us")
    let frames = 480_000
    let took = best(of: 3) { _ = try? Self.playFrames(frames) }
    row(
      "drive and sensor frames through a board's engine",
      "\(Int((Double(frames) / took).rounded())) frames/s",
      "\(ratio(Double(frames) / Self.rate, took)) real time at 48 kHz; aim 20")
    instructions("instructions a packet", "usb-packets", 2000, aim: "aim below 20,000")
    instructions(
      "instructions a frame, engine and board", "usb-frames", 9600, aim: "aim below 20,000")
    plugs(1000)
    print()
  }

  private func ratio(_ one: Double, _ other: Double) -> String {
    "\((one / other * 10).rounded() / 10) times"
  }

  /// Passes packets in through a queue of 16 transfers, and gives how many came in order.
  @discardableResult
  static func passPackets(_ count: Int) throws -> Int {
    let bus = FakeUSBBus()
    bus.plug(CountingDevice())
    let handle = try USBContext(bus).open(USBSelection(), rig: "benchmark")
    try handle.claim(0)
    var queue = try handle.queue(
      USBEndpoint(address: 0x81, kind: .bulk, packetBytes: 512), transfers: 16, bytes: 512)
    try queue.submitAll()
    var came = 0
    while came < count {
      guard let completion = try queue.waitForCompletion(microseconds: 10_000) else { break }
      came += queue.withBytes(of: completion) { Int($0[0]) } == came & 255 ? 1 : count
      queue.recycle(completion)
      try queue.submitAll()
    }
    precondition(came == count, "packets were lost or came in another order")
    return came
  }

  /// The same packets asked of the device, without a transport: what is left over is not its cost.
  static func passBare(_ count: Int) -> Int {
    let device = CountingDevice()
    var buffer = [UInt8](repeating: 0, count: 512)
    var sum = 0
    for number in 0..<count {
      var span = buffer.mutableSpan
      sum += device.give(&span, on: 0x81, at: UInt64(number)) ?? 0
    }
    return sum
  }

  /// Plays frames through a board and reads what it feels.
  @discardableResult
  static func playFrames(_ count: Int, on bus: FakeUSBBus = FakeUSBBus()) throws -> Int {
    let identity = BoardIdentity(
      tickRate: 1_000_000, driveRates: [48_000], sensorRates: [48_000], driveChannelCount: 1,
      sensorChannelCount: 1, bufferFrames: 2048, fullScaleMicrovolts: 4_000_000,
      sensorFullScale: 160_000_000, serial: "B1")
    bus.plug(FakeBoard(BoardDevice(identity, plant: LoopbackPlant(identity))))
    let rig = try USBRig(
      description, device: USBDescription(selection: USBSelection()), on: bus)
    guard let drive = rig.drive, let sensors = rig.sensors else { return 0 }
    try drive.start()
    try sensors.start()
    let block = [Float](repeating: 0.5, count: 1024)
    var heard = [Float](repeating: 0, count: 1024)
    var sent = 0
    var came = 0
    while sent < count {
      sent += try drive.write(block.span)
      var span = heard.mutableSpan
      came += try sensors.read(into: &span)
    }
    try drive.stop()
    while came < count {
      var span = heard.mutableSpan
      let more = try sensors.read(into: &span)
      if more == 0 { break }
      came += more
    }
    try sensors.stop()
    precondition(came >= count, "frames were lost")
    return came
  }

  private static let description = RigDescription(
    name: "benchmark",
    drive: DriveDescription(
      device: .usb(USBDescription(selection: USBSelection())), rate: .standard,
      channels: [.haptic: 1], fullScaleVolts: 4),
    capture: CaptureDescription(
      kind: .usb,
      channels: [
        CaptureChannelDescription(
          name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
      ]),
    actuators: [
      Actuator(
        id: "a", model: "m", limits: DriveLimits(continuousVolts: 2, peakVolts: 4))
    ])

  /// Counts what the processor does for one more, by two runs of this program under callgrind.
  private func instructions(_ title: String, _ work: String, _ count: Int, aim: String) {
    guard let short = counted(work, count), let long = counted(work, 2 * count) else {
      row(title, "not measured", "needs valgrind")
      return
    }
    row(title, "\((long - short) / count)", aim)
  }

  private func counted(_ work: String, _ count: Int) -> Int? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
      CommandLine.arguments[0], work, "\(count)",
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil,
      let text = (try? pipe.fileHandleForReading.readToEnd()).flatMap({
        String(data: $0, encoding: .utf8)
      })
    else { return nil }
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.contains("Collected :") }
    return line.flatMap { Int($0.split(separator: " ").last ?? "") }
  }

  /// Plugs a board, plays to it and takes it off, again and again; memory in use must not grow with it.
  private func plugs(_ count: Int) {
    let bus = FakeUSBBus()
    func cycle() {
      _ = try? Self.playFrames(2048, on: bus)
      bus.unplug(port: 1)
    }
    // What is made once stays, and what the heap keeps in hand: a whole round before is no leak.
    for _ in 0..<count { cycle() }
    let before = Self.residentKibibytes
    for _ in 0..<count { cycle() }
    row(
      "memory more in use after \(count) plugs", "\(Self.residentKibibytes - before) KiB",
      "\(bus.use == FakeUSBBus.Use() ? "everything given back" : "kept \(bus.use)"); aim 0")
  }

  /// What of this process lies in memory: the second number of `statm`, in pages (proc(5)).
  private static var residentKibibytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
  }
}

/// A device that counts: the first byte of every packet in is the next number.
private final class CountingDevice: FakeUSBDevice {
  private let next = Atomic<UInt8>(0)
  let record = USBDeviceRecord(
    address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x1209, product: 0x4852,
    descriptorBytes: FakeBoard<LoopbackPlant>.descriptors, megabits: 480)

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool { true }

  func give(_ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Int? {
    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
    for place in 0..<64 { bytes[place] = number }
    return 64
  }
}
