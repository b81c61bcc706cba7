// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units
import VirtualDevices

/// Every fault of the script, seen as it is documented.
struct FaultTests {
  private func bench(_ kind: SimulationDescription.Fault.Kind, _ duration: Double? = 0.005)
    -> SimulatedFixture
  {
    var bench = SimulatedFixture()
    bench.simulation.faults = [.init(kind: kind, time: 0.01, duration: duration)]
    bench.capture = [SimulatedFixture.acceleration, SimulatedFixture.reference]
    return bench
  }

  /// The fault's frames: 10 ms for 5 ms at 48 kHz.
  private static let touched = 480..<720

  private func tone(_ frame: Int) -> Double { Double(frame % 282) / 282 - 0.5 }

  @Test func `an xrun plays zeros and loses frames`() throws {
    let take = try bench(.xrun).play(frames: 1_200) { _ in 0.5 }
    #expect(take.driveEvents == [StreamEvent(kind: .underrun, frame: 480, length: 240)])
    #expect(take.captureEvents == [StreamEvent(kind: .overrun, frame: 480, length: 240)])
    for channel in take.channels {
      #expect(channel[Self.touched].allSatisfy { $0 == 0 })
      #expect(channel[1_000] != 0)
    }
  }

  @Test func `dropped packets are zeros with a name and the drive goes on`() throws {
    let take = try bench(.drop).play(frames: 1_200) { _ in 0.5 }
    #expect(take.driveEvents.isEmpty)
    #expect(take.captureEvents == [StreamEvent(kind: .drop, frame: 480, length: 240)])
    #expect(take.channels[1][Self.touched].allSatisfy { $0 == 0 })
    #expect(take.channels[1][720] == 2)
    #expect(take.channels[1][479] == 2)
  }

  @Test func `an unplugged device takes frames up to its time and then throws`() throws {
    let rig = try bench(.unplug, nil).open()
    try rig.drive.start()
    try rig.sensors.start()
    let block = [Float](repeating: 0, count: 1_000 * 3)
    #expect(try rig.drive.write(block.span) == 480)
    let write = #expect(throws: DeviceError.self) { try rig.drive.write(block.span) }
    #expect(write?.code == .unplugged)
    // What its frames decided is delivered, and then it is gone for the reader too.
    var received = try read(rig.sensors, frames: 1_000).count / 2
    #expect(received > 400 && received <= 480)
    let error = #expect(throws: DeviceError.self) { try read(rig.sensors, frames: 100) }
    #expect(error?.code == .unplugged)
    rig.drive.silence()
    try rig.drive.stop()
    received += try read(rig.sensors, frames: 1_000).count / 2
    #expect(received == 480)
    try rig.sensors.stop()
    let restart = #expect(throws: DeviceError.self) { try rig.drive.start() }
    #expect(restart?.code == .unplugged)
  }

  @Test func `an overloaded sensor stands at its end and says so`() throws {
    var bench = bench(.overload)
    bench.simulation.sensor.fullScale = 70
    let take = try bench.play(frames: 1_200, signal: tone)
    #expect(take.channels[0][Self.touched].allSatisfy { $0 == 70 })
    #expect(abs(take.channels[0][720]) < 70)
    #expect(
      take.captureEvents
        == [StreamEvent(kind: .overload, frame: 480, length: 240, channel: "z")])
  }

  @Test func `a stuck actuator does not move and lets current through`() throws {
    var bench = bench(.stuck, nil)
    bench.capture = [SimulatedFixture.acceleration, SimulatedFixture.current]
    let take = try bench.play(frames: 1_200, signal: tone)
    // A millisecond for the sensor's filter to come to rest.
    #expect(take.channels[0][530..<1_150].allSatisfy { abs($0) < 1e-3 })
    #expect(take.channels[0][..<480].contains { abs($0) > 1 })
    #expect(take.channels[1][530..<1_150].contains { abs($0) > 0.05 })
    #expect(take.captureEvents.isEmpty)
  }

  @Test func `a loose sensor feels a tenth and rattles by a third`() throws {
    var bench = bench(.loose, nil)
    let faulty = try bench.play(frames: 4_000, signal: tone).channels[0]
    bench.simulation.faults = []
    let sound = try bench.play(frames: 4_000, signal: tone).channels[0]
    #expect(faulty[..<480] == sound[..<480])
    // Of |motion| times 0.3 as a normal number: sqrt(0.1^2 + 0.3^2) = 0.316 of the power's root.
    let ratio = deviation(faulty[480...]) / deviation(sound[480...])
    #expect(abs(ratio - 0.316) < 0.02, "seed 1: \(ratio)")
    var (product, square) = (0.0, 0.0)
    for (felt, motion) in zip(faulty[480...], sound[480...]) {
      product += Double(felt * motion)
      square += Double(motion * motion)
    }
    #expect(abs(product / square - 0.1) < 0.03, "seed 1: \(product / square)")
  }

  @Test func `faults count from the opening of the rig over all takes`() throws {
    let rig = try bench(.drop).open()
    let first = try playTake(rig.drive, rig.sensors, frames: 300) { _ in 0.5 }
    let second = try playTake(rig.drive, rig.sensors, frames: 600) { _ in 0.5 }
    #expect(first.captureEvents.isEmpty)
    #expect(second.captureEvents == [StreamEvent(kind: .drop, frame: 180, length: 240)])
  }
}
