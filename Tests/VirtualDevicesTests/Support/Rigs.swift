// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Units
import VirtualDevices

/// A description of a simulated rig, quiet and exact unless it is told otherwise.
struct SimulatedFixture {
  static let quietSensor = SimulationDescription.Sensor(
    noiseDensity: 0, bandwidth: 10_000, fullScale: 5_000, gravity: 0, crossAxis: 0)

  var simulation = SimulationDescription(
    plant: PlantParameters.named("coinZ-170") ?? PlantParameters.catalogue[0].parameters,
    drive: .init(bits: 0), capture: .init(bits: 0), sensor: Self.quietSensor,
    sound: .init(noise: 0))
  var capture = [Self.acceleration]
  var fullScaleVolts = 4.0
  var rate = SampleRate.standard
  var period = 256

  static let acceleration = CaptureChannelDescription(
    name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1, axis: "z")
  static let reference = CaptureChannelDescription(
    name: "reference", role: .reference, unit: .volt, input: 2)
  static let audio = CaptureChannelDescription(
    name: "audio", role: .audio, unit: .volt, input: 3)
  static let current = CaptureChannelDescription(
    name: "current", role: .current, unit: .ampere, input: 4)

  var description: RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .simulated(simulation), rate: rate,
        channels: [.haptic: 1, .audio: 2, .reference: 3], fullScaleVolts: fullScaleVolts,
        periodFrames: period),
      capture: CaptureDescription(kind: .simulated, channels: capture),
      actuators: [.test])
  }

  func open() throws -> SimulatedRig { try SimulatedRig(description) }

  /// Opens the rig and plays one take of the same signal on every channel.
  func play(frames: Int, signal: (Int) -> Double) throws -> TakeResult {
    let rig = try open()
    return try playTake(rig.drive, rig.sensors, frames: frames, signal: signal)
  }
}

extension Actuator {
  static let test = Actuator(
    id: "a", model: "m", limits: .init(continuousVolts: 2, peakVolts: 4))
}

/// What a take delivered: channels by their place, and the events of both halves.
struct TakeResult: Equatable {
  var channels: [[Float]] = []
  var driveEvents: [StreamEvent] = []
  var captureEvents: [StreamEvent] = []
}

/// Plays one take of the same signal on every channel, and collects all of it.
func playTake(
  _ drive: any DriveOutput, _ sensors: any SensorInput, frames: Int, signal: (Int) -> Double
) throws -> TakeResult {
  try drive.start()
  try sensors.start()
  var received: [Float] = []
  let width = sensors.format.channelCount
  for first in stride(from: 0, to: frames, by: 1024) {
    let count = min(1024, frames - first)
    try send(drive, first..<(first + count), signal)
    received += try read(sensors, frames: count)
  }
  try drive.stop()
  while received.count < frames * width {
    let more = try read(sensors, frames: 1024)
    guard !more.isEmpty else { break }
    received += more
  }
  try sensors.stop()
  return TakeResult(
    channels: (0..<width).map { channel in
      stride(from: channel, to: received.count, by: width).map { received[$0] }
    },
    driveEvents: drive.takeEvents(), captureEvents: sensors.takeEvents())
}

/// Writes frames of the same signal on every channel, all of them.
func send(_ drive: any DriveOutput, _ frames: Range<Int>, _ signal: (Int) -> Double) throws {
  let width = drive.format.channelCount
  let block = frames.flatMap { [Float](repeating: Float(signal($0)), count: width) }
  var done = 0
  while done < block.count { done += try width * drive.write(block.span.extracting(done...)) }
}

/// Reads once, up to so many frames.
func read(_ sensors: any SensorInput, frames: Int) throws -> [Float] {
  let width = sensors.format.channelCount
  var block = [Float](repeating: 0, count: frames * width)
  var span = block.mutableSpan
  let count = try sensors.read(into: &span)
  return Array(block[..<(count * width)])
}
