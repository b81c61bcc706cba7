// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import AllocationCounter
import HapticRendering
import Perception
import Profiles
import SeededRandom
import Testing
import Units

/// What a stage renders is what the renderer of whole patterns renders, and no memory is asked for.
struct StageRenderTests {
  /// Plays a pattern once from the beginning and returns drive and sound.
  static func play(
    _ pattern: HapticPattern, _ configuration: RenderConfiguration, sounds: SoundBank = .init(),
    frames: Int, block: Int, actions: [(Double, PlayerAction)] = [(0, .start)]
  ) -> (haptic: [Float], left: [Float], right: [Float]) {
    var stage = stage(configuration)
    let program = PlayerProgram(pattern, configuration: configuration, sounds: sounds)
    _ = stage.add(ProgramLoan(program), slot: 0)
    for (order, (time, action)) in actions.enumerated() {
      stage.ask(action, of: 0, at: time, order: order)
    }
    return withExtendedLifetime(program) { render(&stage, frames: frames, block: block) }
  }

  static func stage(_ configuration: RenderConfiguration) -> PlayerStage {
    PlayerStage(
      StageConfiguration(
        laws: configuration, limits: DriveLimits(continuousVolts: 10, peakVolts: 10),
        fullScaleVolts: 10))
  }

  static func render(
    _ stage: inout PlayerStage, frames: Int, block: Int
  ) -> (haptic: [Float], left: [Float], right: [Float]) {
    var (haptic, left, right) = ([Float](), [Float](), [Float]())
    while haptic.count < frames {
      let count = min(block, frames - haptic.count)
      var h = [Float](repeating: 0, count: count)
      var (l, r) = (h, h)
      var hs = h.mutableSpan
      var ls = l.mutableSpan
      var rs = r.mutableSpan
      stage.render(haptic: &hs, left: &ls, right: &rs)
      stage.clearNotices()
      haptic += h
      left += l
      right += r
    }
    return (haptic, left, right)
  }

  @Test(arguments: 0..<24)
  func `a pattern played live is the pattern rendered whole`(index: Int) throws {
    var random = SeededRandom(seed: 0x57a6_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.4, hapticOnly: true)
    var configuration = RenderConfiguration(
      sharpnessLaw: SharpnessLaw.named[index % 4].law,
      intensityLaw: IntensityLaw.allCases[index % 4])
    configuration.fullScale = 0.4
    configuration.sharpnessControlMovesTransients = index % 3 == 0
    if index % 5 == 0 { configuration.waveform = .level }
    let timeline = Timeline(pattern, configuration: configuration)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    var whole = [Float](repeating: 0, count: renderer.frameCount)
    var span = whole.mutableSpan
    renderer.render(haptic: &span)
    let live = Self.play(
      pattern, configuration, frames: whole.count, block: random.integer(1...700))
    let worst = zip(whole, live.haptic).map { abs($0 - $1) }.max() ?? 0
    // Live, a jump of sharpness takes effect at the next whole frame; rendered whole, at the next half.
    // Of envelopes, a gain that is single precision here leaves as much on a jump of intensity.
    let ids = Set(pattern.parameters.map(\.id) + pattern.curves.map(\.id))
    let bound: Float = ids.isDisjoint(with: [.hapticSharpness, .hapticIntensity]) ? 4e-5 : 3e-3
    #expect(worst < bound, "\(random): \(worst)")
    #expect(rootMeanSquare(whole) > 1e-4)
  }

  @Test(arguments: 0..<6)
  func `blocks of any size give the same samples`(index: Int) {
    var random = SeededRandom(seed: 0x57a7_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.3)
    let sounds = bank(sine(440, count: 4800), path: "mono.wav")
    let actions: [(Double, PlayerAction)] = [
      (0.01234, .start), (0.05, .rate(1.7)), (0.1, .loop(true)), (0.11, .loopEnd(0.2)),
      (0.15, .control(ControlStep(.hapticIntensity, value: 0.4, slope: 1.5))),
      (0.3, .pause), (0.3503, .resume), (0.42, .seek(0.1)),
    ]
    let configuration = RenderConfiguration()
    let one = Self.play(
      pattern, configuration, sounds: sounds, frames: 30_000, block: 30_000, actions: actions)
    let other = Self.play(
      pattern, configuration, sounds: sounds, frames: 30_000, block: random.integer(1...300),
      actions: actions)
    #expect(zip(one.haptic, other.haptic).allSatisfy { abs($0 - $1) < 2e-5 }, "\(random)")
    #expect(zip(one.left, other.left).allSatisfy { abs($0 - $1) < 2e-4 }, "\(random)")
  }

  @Test(arguments: [1, 7, 256, 2000])
  func `what begins after muting is neither felt nor heard from its onset`(block: Int) {
    let pattern = HapticPattern(events: [
      HapticEvent(kind: .hapticTransient, time: 0),
      HapticEvent(kind: .hapticContinuous, time: 0, duration: 0.02),
      HapticEvent(kind: .audioContinuous, time: 0, duration: 0.02),
    ])
    let configuration = RenderConfiguration()
    let program = PlayerProgram(pattern, configuration: configuration)
    func play(
      muting: [(Double, PlayerAction)] = [], all: [Bool] = []
    ) -> (haptic: [Float], left: [Float], right: [Float]) {
      var stage = Self.stage(configuration)
      _ = stage.add(ProgramLoan(program), slot: 0)
      for isMuted in all {
        (stage.isHapticMuted, stage.isAudioMuted) = (isMuted, isMuted)
        _ = Self.render(&stage, frames: 64, block: 32)
      }
      for (order, (time, action)) in (muting + [(0, .start)]).enumerated() {
        stage.ask(action, of: 0, at: time, order: order)
      }
      return Self.render(&stage, frames: 2000, block: block)
    }
    let (open, own, all) = (play(), play(muting: [(0, .mute(true))]), play(all: [true]))
    #expect(rootMeanSquare(open.haptic) > 1e-3 && rootMeanSquare(open.left) > 1e-3)
    for muted in [own, all] {
      #expect(muted.haptic.allSatisfy { $0 == 0 } && muted.left.allSatisfy { $0 == 0 })
    }
    // What was muted before loses nothing of its onset.
    let again = play(muting: [(0, .mute(true)), (0, .mute(false))], all: [true, false])
    #expect(again.haptic == open.haptic && again.left == open.left)
    withExtendedLifetime(program) {}
  }

  @Test func `a sound is heard as the whole renderer has it`() {
    var event = HapticEvent(kind: .audioCustom, time: 0.01, waveformPath: "a.wav")
    event.parameters.audioVolume = 0.5
    let pattern = HapticPattern(events: [event])
    let sounds = bank(sine(440, count: 4800), path: "a.wav")
    let configuration = RenderConfiguration()
    let timeline = Timeline(
      pattern, configuration: configuration, soundDuration: sounds.duration(of:))
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration, sounds: sounds)
    var h = [Float](repeating: 0, count: 6000)
    var (l, r) = (h, h)
    var hs = h.mutableSpan
    var ls = l.mutableSpan
    var rs = r.mutableSpan
    renderer.render(haptic: &hs, left: &ls, right: &rs)
    let live = Self.play(pattern, configuration, sounds: sounds, frames: 6000, block: 333)
    #expect(zip(l, live.left).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(rootMeanSquare(l) > 0.1)
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `parameters that stream in at 1 kHz touch no heap`() {
    let configuration = RenderConfiguration()
    var stage = Self.stage(configuration)
    let pattern = HapticPattern(events: [
      HapticEvent(kind: .hapticContinuous, time: 0, duration: 10),
      HapticEvent(kind: .hapticTransient, time: 0.1),
      HapticEvent(kind: .audioContinuous, time: 0, duration: 10),
    ])
    let program = PlayerProgram(pattern, configuration: configuration)
    for slot in 0..<20 {
      _ = stage.add(ProgramLoan(program), slot: slot)
      stage.ask(.loop(true), of: slot, at: 0, order: slot)
      stage.ask(.loopEnd(0.15), of: slot, at: 0, order: slot)
      stage.ask(.start, of: slot, at: 0, order: slot)
    }
    var h = [Float](repeating: 0, count: 48)
    var (l, r) = (h, h)
    (l[0], r[0]) = (1, 2)
    allocationCounterStart()
    for block in 0..<200 {
      for slot in 0..<20 {
        let value = Double((block * 7 + slot) % 100) / 100
        stage.ask(
          .control(ControlStep(.hapticIntensity, value: value)), of: slot, at: 0,
          order: 100 + block)
        stage.ask(
          .control(ControlStep(.hapticSharpness, value: value - 0.5)), of: slot, at: 0,
          order: 100 + block)
      }
      var hs = h.mutableSpan
      var ls = l.mutableSpan
      var rs = r.mutableSpan
      stage.render(haptic: &hs, left: &ls, right: &rs)
      stage.clearNotices()
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
    withExtendedLifetime(program) {}
  }
}
