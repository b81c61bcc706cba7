// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import SeededRandom
import Testing
import Units

/// Lining up a response that was recorded apart with its stimulus.
struct ResponseLocatorTests {
  private static let rate = SampleRate(hertz: 24_000)
  private static let rig = Rigs.described(
    drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .reference], rate: rate)

  private func take() throws -> TakeDrive {
    TakeBuilder(rig: Self.rig, hasProbe: true).build(
      try Rigs.pattern([AHAPText.tap(at: 0), AHAPText.tap(at: 0.3)], rate: Self.rate))
  }

  /// What a recorder kept of so many takes: a role's samples, 6.4 ms late, with silence or loss before.
  private func samples(
    _ role: CaptureRole, _ take: TakeDrive, takes: Int = 1, before: Int = 0, lost: Int = 0
  ) -> [Float] {
    let recording = SyntheticPlant(offset: 0).record(take, on: Self.rig)
    let once = Array(recording.channel(role)?.samples ?? [])
    var random = SeededRandom(seed: 0x10c)
    let silence = (0..<before).map { _ in Float(1e-4 * random.gaussian()) }
    return Array((silence + (0..<takes).flatMap { _ in once }).dropFirst(lost))
  }

  @Test(arguments: [true, false])
  func `a recorder that ran with the player keeps its delay`(isReference: Bool) throws {
    let take = try take()
    let role = isReference ? CaptureRole.reference : .acceleration
    let found = try ResponseLocator.locate(
      take, in: samples(role, take), isReference: isReference)
    #expect(found.skip == 0)
    #expect(!found.isArbitrary)
  }

  @Test(arguments: [12_000, 150_001])
  func `a recorder that was started first is lined up, and the delay is called arbitrary`(
    before: Int
  ) throws {
    let take = try take()
    for role in [CaptureRole.reference, .acceleration] {
      let found = try ResponseLocator.locate(
        take, in: samples(role, take, before: before), isReference: role == .reference)
      #expect(found.isArbitrary)
      // What remains is a small delay ahead of the response, never one behind it.
      let remains = before - found.skip
      #expect((-160..<500).contains(remains), "\(role): \(remains) frames")
    }
  }

  @Test(arguments: [true, false])
  func `of several takes the first is the beginning`(isReference: Bool) throws {
    let take = try take()
    let role = isReference ? CaptureRole.reference : .acceleration
    let heard = samples(role, take, takes: 3, before: 24_000)
    let found = try ResponseLocator.locate(take, in: heard, isReference: isReference)
    #expect((-160..<500).contains(24_000 - found.skip), "\(found.skip)")
    let inStep = samples(role, take, takes: 3)
    #expect(try ResponseLocator.locate(take, in: inStep, isReference: isReference).skip == 0)
  }

  @Test(arguments: [600, 2_400, 10_000])
  func `a recorder that was started after the player is an error`(lost: Int) throws {
    let take = try take()
    for takes in [1, 3] {
      let heard = samples(.reference, take, takes: takes, lost: lost)
      #expect(throws: InputError.self, "\(takes) takes, \(lost) frames lost") {
        try ResponseLocator.locate(take, in: heard, isReference: true)
      }
    }
  }

  @Test(arguments: [true, false])
  func `a response that has nothing of the stimulus is an error`(isReference: Bool) throws {
    let take = try take()
    var random = SeededRandom(seed: 0x4015e)
    let noise = (0..<100_000).map { _ in Float(random.gaussian()) }
    let error = try #require(throws: InputError.self) {
      try ResponseLocator.locate(take, in: noise, isReference: isReference)
    }
    #expect(error.description.contains("not found"))
    #expect(throws: InputError.self) {
      try ResponseLocator.locate(take, in: [0, 0, 0], isReference: isReference)
    }
    let silence = [Float](repeating: 0, count: 100_000)
    #expect(throws: InputError.self) {
      try ResponseLocator.locate(take, in: silence, isReference: isReference)
    }
  }
}
