// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing
import Units

/// One player takes another's place, a loop of a part, a parameter that glides: by the samples themselves.
struct ExchangeTests {
  private typealias Stage = StageRenderTests
  private let configuration = RenderConfiguration()

  /// Plays a pattern in a loop and puts others in its place at some frames; all of it as rendered.
  private func looped(
    _ patterns: [HapticPattern], exchangedAt frames: [Int] = [], count: Int,
    start: [PlayerAction] = []
  ) -> [Float] {
    var stage = Stage.stage(configuration)
    let programs = patterns.map { PlayerProgram($0, configuration: configuration) }
    var drive: [Float] = []
    var order = 0
    func ask(_ action: PlayerAction, of slot: Int, _ stage: inout PlayerStage) {
      stage.ask(action, of: slot, at: 0, order: order)
      order += 1
    }
    for (slot, frame) in ([0] + frames).enumerated() {
      if frame > drive.count {
        drive += Stage.render(&stage, frames: frame - drive.count, block: 64).haptic
      }
      _ = stage.add(ProgramLoan(programs[slot % programs.count]), slot: slot)
      ask(.loop(true), of: slot, &stage)
      for action in start { ask(action, of: slot, &stage) }
      ask(slot == 0 ? .start : .takeOver(slot: slot - 1), of: slot, &stage)
    }
    drive += Stage.render(&stage, frames: count - drive.count, block: 64).haptic
    withExtendedLifetime(programs) {}
    return drive
  }

  private func largestStep(_ samples: some Collection<Float>) -> Float {
    zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  @Test(arguments: 0..<24)
  func `a pattern that takes its own place goes on as if nothing had happened`(index: Int) {
    var random = SeededRandom(seed: 0xe8c4_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.3, hapticOnly: true)
    let frames = (0..<8).map { _ in random.integer(100...40_000) }.sorted()
    let whole = looped([pattern], count: 48_000)
    let exchanged = looped([pattern], exchangedAt: frames, count: 48_000)
    let worst = zip(whole, exchanged).map { abs($0 - $1) }.max() ?? 0
    // Gains are single precision, and a pattern's own parameters begin anew at each entry.
    let first = zip(whole, exchanged).enumerated().first { abs($0.element.0 - $0.element.1) > 5e-3 }
    #expect(
      worst < 5e-3,
      "\(random): \(worst), first at \(first?.offset ?? 0), exchanged at \(frames)")
    #expect(rootMeanSquare(whole) > 1e-4)
  }

  /// A loop of one vibration that is held for most of it.
  private func vibration(_ random: inout SeededRandom) -> HapticPattern {
    HapticPattern(
      events: [
        continuous(
          at: random.uniform(0...0.03), for: 0.2, intensity: random.uniform(0.1...1),
          sharpness: random.uniform())
      ],
      parameters: [step(.hapticIntensity, at: 0.25, 1, order: 2)])
  }

  @Test(arguments: 0..<200)
  func `the step to another pattern is no larger than the steps of either`(index: Int) {
    var random = SeededRandom(seed: 0xe8c5_0000 + UInt64(index))
    let (one, other) = (vibration(&random), vibration(&random))
    // Inside both vibrations, after their attack.
    let frame = 12_000 * random.integer(0...2) + random.integer(2000...8000)
    let exchanged = looped([one, other], exchangedAt: [frame], count: 48_000)
    let own = max(
      largestStep(looped([one], count: 48_000)), largestStep(looped([other], count: 48_000)))
    let step = largestStep(exchanged[(frame - 2)..<(frame + 1000)])
    #expect(step <= own * 1.0001, "\(random): \(step), \(own)")
    // It is the other one that goes on, at the place of the loop.
    let alone = looped([other], count: 48_000)
    #expect(
      abs(rootMeanSquare(exchanged[36_000...]) - rootMeanSquare(alone[36_000...])) < 1e-3,
      "\(random)")
  }

  @Test func `taps that were begun ring out, and none is begun twice`() {
    let taps = HapticPattern(events: [
      transient(at: 0.01, intensity: 1), transient(at: 0.1, intensity: 0.5),
    ])
    // In the middle of the first tap, and just after the second began.
    let frames = [600, 4900]
    #expect(looped([taps], exchangedAt: frames, count: 12_000) == looped([taps], count: 12_000))
  }

  @Test func `a place beyond the end of a shorter loop is its beginning`() {
    let long = HapticPattern(events: [continuous(at: 0, for: 1, intensity: 0.2)])
    let short = HapticPattern(events: [transient(at: 0), transient(at: 0.3)])
    let drive = looped([long, short], exchangedAt: [24_000], count: 40_000)
    let alone = looped([short], count: 16_000)
    #expect(Array(drive[25_000..<40_000]) == Array(alone[1000..<16_000]))
  }

  @Test func `a loop of a part turns to its beginning and takes up what is held there`() {
    let pattern = HapticPattern(events: [
      continuous(at: 0, for: 0.5, intensity: 0.3), transient(at: 0.05), transient(at: 0.25),
    ])
    let drive = looped(
      [pattern], count: 24_000, start: [.loopStart(0.2), .loopEnd(0.3), .seek(0.2)])
    // Each turn of 0.1 s is the turn before, but for the phase of what is held; a tap stands 50 ms after its start.
    for turn in 0..<5 {
      let peak = (0..<4800).max { abs(drive[turn * 4800 + $0]) < abs(drive[turn * 4800 + $1]) }
      #expect((2400..<3000).contains(peak ?? 0), "turn \(turn): \(peak ?? 0)")
      #expect(rootMeanSquare(drive[(turn * 4800 + 500)..<(turn * 4800 + 2000)]) > 0.01)
    }
  }

  @Test func `a transport turns to the start of its loop`() {
    var transport = PlayerTransport(length: 2)
    for action in [PlayerAction.loop(true), .loopStart(0.5), .loopEnd(0.75), .seek(0.6)] {
      _ = transport.apply(action, at: 0)
    }
    #expect(transport.apply(.start, at: 10) == .entered)
    #expect(transport.position(at: 10) == 0.6)
    #expect(abs(transport.edge - 10.15) < 1e-12)
    #expect(transport.passEdge() == .turned)
    #expect(abs(transport.position(at: 10.15) - 0.5) < 1e-12)
    #expect(transport.apply(.seek(1.9), at: 10.2) == .entered)
    #expect(transport.position(at: 10.2) == 0.5)
    _ = transport.apply(.loopStart(-1), at: 10.2)
    #expect(transport.loopStart == 0.5)
    // A loop of no length is one of the shortest.
    _ = transport.apply(.loopStart(0.75), at: 10.2)
    #expect(abs(transport.turn - 0.751) < 1e-12)
  }

  @Test func `a parameter glides to its value and stays there`() {
    let program = PlayerProgram(
      HapticPattern(events: [
        continuous(at: 0, for: .infinity, intensity: 1)
      ]), configuration: configuration, isEndless: true)
    var stage = Stage.stage(configuration)
    _ = stage.add(ProgramLoan(program), slot: 0)
    stage.ask(
      .control(ControlStep(.hapticIntensity, value: 0.2)), of: 0, at: 0, order: 0)
    stage.ask(.start, of: 0, at: 0, order: 1)
    _ = Stage.render(&stage, frames: 4800, block: 64)
    stage.ask(
      .glide(ControlGlide(.hapticIntensity, to: 0.8, in: 0.01)), of: 0, at: 0, order: 2)
    _ = Stage.render(&stage, frames: 240, block: 64)
    #expect(abs(stage.value(of: .hapticIntensity, slot: 0) - 0.5) < 1e-9)
    // One on the way to another value sets off from where it is.
    stage.ask(
      .glide(ControlGlide(.hapticIntensity, to: 0.1, in: 0.01)), of: 0, at: 0, order: 3)
    _ = Stage.render(&stage, frames: 240, block: 64)
    #expect(abs(stage.value(of: .hapticIntensity, slot: 0) - 0.3) < 1e-9)
    _ = Stage.render(&stage, frames: 480_000, block: 4800)
    #expect(abs(stage.value(of: .hapticIntensity, slot: 0) - 0.1) < 1e-9)
    // It plays on after the 30 s that an event of a file lasts at most.
    _ = Stage.render(&stage, frames: 48_000 * 30, block: 4800)
    let late = Stage.render(&stage, frames: 4800, block: 64).haptic
    #expect(rootMeanSquare(late) > 1e-3)
    withExtendedLifetime(program) {}
  }
}
