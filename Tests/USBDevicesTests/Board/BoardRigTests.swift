// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import USBModels

@testable import USBDevices

struct BoardRigTests {
  /// A signal whose every frame is another number.
  private func ramp(_ frame: Int) -> Float { Float(frame % 32_000 + 1) / 32_767 }

  @Test func `what is driven is felt at the same frame`() throws {
    let bench = try BoardFixture()
    let heard = try bench.play(frames: 2400, signal: ramp)
    #expect(heard.count == 2400)
    // Drive comes before sensors at one tick, and the loop is a wire.
    let wrong = heard.indices.filter { abs(heard[$0] - ramp($0)) > 1e-6 }
    #expect(wrong.isEmpty, "\(wrong.count) frames differ, the first is \(wrong.first ?? -1)")
    #expect(bench.rig.drive?.takeEvents() == [])
    #expect(bench.rig.sensors?.takeEvents() == [])
  }

  @Test func `frames by the thousand arrive once each and in order`() throws {
    let wanted = StreamLength.frames
    let bench = try BoardFixture(rate: 48_000)
    let heard = try bench.play(frames: wanted, block: 4096, signal: ramp)
    #expect(heard.count == wanted)
    let wrong = heard.indices.filter { abs(heard[$0] - ramp($0)) > 1e-6 }
    #expect(wrong.isEmpty, "\(wrong.count) frames differ, the first is \(wrong.first ?? -1)")
    #expect(bench.rig.drive?.takeEvents() == [])
    #expect(bench.rig.sensors?.takeEvents() == [])
  }

  @Test func `a drifting clock loses nothing`() throws {
    for drift in [-200.0, 200] {
      let bench = try BoardFixture(drift: drift)
      let heard = try bench.play(frames: 16_000, block: 1024, signal: ramp)
      #expect(heard.indices.allSatisfy { abs(heard[$0] - ramp($0)) <= 1e-6 }, "at \(drift) ppm")
      #expect(bench.rig.drive?.takeEvents() == [])
      let rate = try #require(bench.rig.drive?.statistics()?.driveRate)
      // The bound that holds for certain is sqrt(3) of the standard uncertainty.
      #expect(abs(rate.ppm - drift) <= 3.0.squareRoot() * rate.uncertainty + 1e-6, "\(rate)")
      #expect(rate.uncertainty < 200, "\(rate)")
    }
  }

  @Test func `a board's counter may wrap in a take`() throws {
    let bench = try BoardFixture(now: (1 << 32) - 200_000)
    let heard = try bench.play(frames: 4000, signal: ramp)
    #expect(heard.count == 4000)
    #expect(heard.indices.allSatisfy { abs(heard[$0] - ramp($0)) <= 1e-6 })
  }

  @Test func `a second take begins at frame 0`() throws {
    let bench = try BoardFixture()
    let first = try bench.play(frames: 3000, signal: ramp)
    let second = try bench.play(frames: 3000, signal: ramp)
    #expect(first == second)
  }

  @Test func `a sensor file corrects the board's own scale by its factor`() throws {
    var rig = BoardFixture.description(inputs: [2])
    let plain = try BoardSetup(rig, BoardFixture.identity, drives: true, senses: true, timeout: 1)
    rig.capture.channels[0].sensor = SensorCertificate(sensitivity: 0.8)
    let corrected = try BoardSetup(
      rig, BoardFixture.identity, drives: true, senses: true, timeout: 1)
    #expect(plain.scales == [Float(BoardFixture.identity.sensorScale)])
    #expect(corrected.scales == [Float(BoardFixture.identity.sensorScale / 0.8)])
  }

  @Test func `acceleration comes in the board's own scale`() throws {
    let bench = try BoardFixture(inputs: [1, 2])
    let heard = try bench.play(frames: 800) { _ in 0.5 }
    let scale = Float(BoardFixture.identity.sensorScale)
    // Channel 2 of the drive has no role: the second sensor is on a wire that carries zero.
    #expect(heard.count == 1600)
    #expect(stride(from: 1, to: heard.count, by: 2).allSatisfy { heard[$0] == 0 })
    #expect(abs(scale * 32_767 - 160) < 1e-3)
  }

  @Test func `a lost packet in is zeros at its frames, and a drop`() throws {
    let bench = try BoardFixture(
      faults: [FakeUSBFault(.lose, endpoint: 0x81, transfer: 60)])
    let heard = try bench.play(frames: 2400, signal: ramp)
    let events = try #require(bench.rig.sensors).takeEvents()
    #expect(heard.count == 2400)
    let gap = try #require(events.first?.frames)
    #expect(events.map(\.kind) == [.drop])
    #expect(gap.allSatisfy { heard[$0] == 0 })
    #expect(heard.indices.allSatisfy { gap.contains($0) || abs(heard[$0] - ramp($0)) <= 1e-6 })
  }

  @Test(arguments: [
    FakeUSBFault.Kind.duplicate, .swap, .corrupt(byte: 20), .shorten(to: 11), .stall,
  ])
  func `damage on the way in costs no more than the packets it touches`(
    kind: FakeUSBFault.Kind
  ) throws {
    let bench = try BoardFixture(faults: [FakeUSBFault(kind, endpoint: 0x81, transfer: 60)])
    let heard = try bench.play(frames: 2400, signal: ramp)
    let gaps = try #require(bench.rig.sensors).takeEvents().filter { $0.kind == .drop }
    #expect(heard.count == 2400)
    let lost = gaps.reduce(0) { $0 + $1.length }
    #expect(lost <= 32, "\(kind): \(gaps)")
    let wrong = heard.indices.filter { frame in
      !gaps.contains { $0.frames.contains(frame) } && abs(heard[frame] - ramp(frame)) > 1e-6
    }
    #expect(wrong.isEmpty, "\(kind): frames \(wrong.prefix(5)) differ")
  }

  @Test(arguments: [FakeUSBFault.Kind.lose, .corrupt(byte: 40), .stall])
  func `damage on the way out is told as an underrun and no more`(kind: FakeUSBFault.Kind) throws {
    let bench = try BoardFixture(faults: [FakeUSBFault(kind, endpoint: 0x01, transfer: 40)])
    let heard = try bench.play(frames: 6000, signal: ramp)
    let lost = heard.indices.filter { heard[$0] == 0 }
    let events = try #require(bench.rig.drive).takeEvents()
    #expect(heard.count == 6000)
    #expect(!lost.isEmpty && lost.count < 2000, "\(kind): \(lost.count) frames were lost")
    #expect(events.contains { $0.kind == .underrun })
    #expect(events.reduce(0) { $0 + $1.length } == lost.count)
    #expect(heard.indices.allSatisfy { heard[$0] == 0 || abs(heard[$0] - ramp($0)) <= 1e-6 })
  }
}
