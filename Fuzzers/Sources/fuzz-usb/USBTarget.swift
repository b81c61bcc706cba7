// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Fuzzing
import SampledSensors
import USBDevices
import USBModels

/// Bytes as what comes from USB devices: the first one says which device, the rest is what it sends.
///
/// Nothing traps or goes on for ever; what is read writes back as the same bytes, or the same value; a
/// board's output is off 20 ms after the last valid drive, and a bridge's session ends.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let device = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch device % 10 {
  case 0: checkBoardDecoder(rest)
  case 1: checkBoardDevice(rest)
  case 2: checkSession(MCP2221ABridge(), rest, size: 64)
  case 3: checkSession(CP2112Bridge(), rest, size: 64)
  case 4: checkSession(FT232HBridge(), rest, size: 20)
  case 5: checkControllers(rest)
  case 6: checkText(rest)
  case 7: checkBinary(rest)
  case 8: checkScan(rest)
  default: checkClock(rest)
  }
  return 0
}

/// Every byte is in one packet or passed over once; packets write as they were read; cuts change nothing.
private func checkBoardDecoder(_ bytes: [UInt8]) {
  var whole = BoardDecoder()
  let events = whole.append(bytes)
  var cut = BoardDecoder()
  var pieces: [BoardDecoder.Event] = []
  for byte in bytes { pieces += cut.append([byte]) }
  require(pieces == events, "another result byte by byte")
  require(whole.pendingCount < BoardFacts.maximumPacketSize, "\(whole.pendingCount) bytes wait")
  for case .packet(let packet) in events {
    guard let written = try? packet.bytes() else {
      require(false, "what was read cannot be written: \(packet)")
      return
    }
    require((try? BoardPacket(written)) == packet, "reads back as another packet: \(packet)")
  }
}

private func checkBoardDevice(_ bytes: [UInt8]) {
  let identity = BoardIdentity(
    tickRate: 1_000_000, driveRates: [8000], sensorRates: [4000], driveChannelCount: 1,
    sensorChannelCount: 1, bufferFrames: 400, fullScaleMicrovolts: 3_300_000,
    sensorFullScale: 156_906_400, serial: "HR-0001")
  var board = BoardDevice(identity, plant: LoopbackPlant(identity))
  // Packets whose check sums are right, of payloads that are anything.
  var sequence: UInt32 = 0
  var tick: UInt64 = 0
  board.receive((try? BoardPacket(sequence: 0, .hello(session: 1)).bytes()) ?? [], at: 0)
  var place = 0
  while place + 2 <= bytes.count {
    let size = Int(bytes[place + 1]) % 64
    let payload = Array(bytes[(place + 2)..<min(place + 2 + size, bytes.count)])
    sequence &+= 1
    var packet: [UInt8] = [0x48, 0x52, 1, bytes[place] % 8, UInt8(payload.count), 0, 0, 0]
    packet += (0..<4).map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) } + [0, 0, 0, 0]
    packet += payload
    let sum = CRC32.of(packet)
    packet += (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
    tick += UInt64(bytes[place]) * 10
    board.receive(packet, at: tick)
    place += 2 + size
  }
  board.receive(bytes, at: tick)
  board.advance(to: board.now + 40_000)
  require(board.output == [0], "the output is on: \(board.output)")
  var decoder = BoardDecoder()
  for event in decoder.append(board.takeOutbox().joined()) {
    guard case .packet = event else {
      require(false, "the board sent \(event)")
      return
    }
  }
}

private func checkSession(_ bridge: some I2CBridge, _ bytes: [UInt8], size: Int) {
  var session = DRV2605LSession(bridge)
  var place = 0
  var count = 0
  let commands: [DRV2605LCommand] = [.amplitude(9), .readResonance, .startClosedLoop]
  var action = session.open()
  for command in commands {
    loop: while true {
      count += 1
      require(count < 4000, "a session that goes on for ever")
      switch action {
      case .exchange:
        let end = min(place + size, bytes.count)
        // After the input nothing more comes: time-outs.
        action =
          place < end ? session.receive(Array(bytes[place..<end])) : session.timeOut()
        place = end
      case .wait: action = session.resume()
      case .finished, .failed: break loop
      }
    }
    action = session.begin(command)
  }
}

private func checkControllers(_ bytes: [UInt8]) {
  if let rumble = try? SwitchRumble(Array(bytes.prefix(4))) {
    require(rumble.bytes == Array(bytes.prefix(4)), "writes other bytes: \(rumble)")
    require(rumble.highAmplitudeCode <= 100 && rumble.lowAmplitudeCode <= 100, "not safe")
  }
  if let report = try? SwitchControllerReport(bytes), case .answer(let answer) = report {
    _ = try? answer.flash()
  }
  if let calibration = try? SwitchControllerCalibration(Array(bytes.prefix(24))) {
    let sample = calibration.sample([.min, .max, -1, .min, .max, 1])
    require((sample.acceleration + sample.rotation).allSatisfy(\.isFinite), "no number: \(sample)")
  }
  if let calibration = try? DualSenseCalibration(Array(bytes.prefix(41))) {
    if let report = try? DualSenseReport(Array(bytes.suffix(64))) {
      let sample = calibration.sample(report)
      require(
        (sample.acceleration + sample.rotation).allSatisfy(\.isFinite), "no number: \(sample)")
    }
  }
  _ = try? DualSenseReport(bytes)
  _ = try? DualSenseFirmware(bytes)
  _ = try? MCP2221AReport(bytes)
  _ = try? CP2112Report(bytes)
  _ = try? FT232HReport(bytes, packetSize: 64)
  if let status = bytes.first { _ = try? DRV2605LStatus(status) }
}

private func checkText(_ bytes: [UInt8]) {
  let columns: [SensorField] = [.counter(bits: 32), .axis(0), .axis(1)]
  var whole = TextStream(columns: columns, scale: 2)
  let events = whole.append(bytes)
  var cut = TextStream(columns: columns, scale: 2)
  require(bytes.flatMap { cut.append([$0]) } == events, "another result byte by byte")
  var tally = SensorTally(counterBits: 32)
  for event in events {
    guard let sample = tally.note(event) else { continue }
    require(sample.acceleration.count == 2, "not two axes: \(sample)")
  }
}

private func checkBinary(_ bytes: [UInt8]) {
  let checks: [BinaryFormat.Check] = [.none, .sum8, .xor8, .crc16, .crc32]
  guard let first = bytes.first else { return }
  let format = BinaryFormat(
    magic: [0x55, 0x51],
    fields: [
      .init(.u8, .counter(bits: 8)), .init(.float32, .axis(0)), .init(.i24, .axis(1)),
    ], check: checks[Int(first) % checks.count], bigEndian: first & 0x80 != 0, scale: 3)
  let rest = Array(bytes.dropFirst())
  var whole = BinaryStream(format)
  let events = whole.append(rest)
  var cut = BinaryStream(format)
  require(rest.flatMap { cut.append([$0]) } == events, "another result byte by byte")
  require(whole.pendingCount < 2 * format.size, "\(whole.pendingCount) bytes wait")
  for case .sample(let sample) in events {
    require(sample.acceleration.allSatisfy(\.isFinite), "an axis that is no number")
  }
}

private func checkScan(_ bytes: [UInt8]) {
  let text = bytes.prefix { $0 != 0x0a }
  guard let type = try? ScanElement(String(decoding: text, as: UTF8.self)) else { return }
  require((try? ScanElement(type.description)) == type, "reads back as another type: \(type)")
  guard
    let layout = try? ScanLayout([
      .init(name: "accel_x", index: 0, type: type),
      .init(name: "timestamp", index: 1, type: type),
    ])
  else { return }
  let data = Array(bytes.dropFirst(text.count))
  let read = layout.read(data)
  require(data.count - read.byteCount < layout.size, "a whole scan is left")
  var counter = ScanCounter(sampleRate: 1000)
  let counted = read.scans.flatMap { counter.note($0) }
  require(
    zip(counted, counted.dropFirst()).allSatisfy { $0.index < $1.index }, "a number comes twice")
}

/// Observations of any kind: the model says nothing, or numbers.
private func checkClock(_ bytes: [UInt8]) {
  var model = DeviceClockModel(tickRate: 1000)
  var counter = CounterUnwrapper(bits: 16)
  var tracker = SequenceTracker(bits: 16)
  var place = 0
  var ticks: Int64 = 0
  while place + 4 <= bytes.count {
    let value = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8
    ticks = counter.unwrap(value)
    _ = tracker.note(value)
    let time = Double(bytes[place + 2]) + Double(ticks) * 1e-3
    model.note(
      ClockObservation(ticks: ticks, earliest: time, latest: time + Double(bytes[place + 3]) * 0.1))
    place += 4
  }
  if let rate = model.rate {
    require(rate.ppm.isFinite && rate.uncertainty >= 0, "a rate of \(rate)")
  }
  if let host = model.hostTime(ofTicks: ticks) {
    require(host.time.isFinite && host.uncertainty >= 0, "a time of \(host)")
  }
}
