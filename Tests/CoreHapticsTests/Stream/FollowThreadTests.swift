// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import AllocationCounter
import Composing
import Devices
import HapticRendering
import SeededRandom
import Testing
import Units

@testable import CoreHaptics

/// What the thread that renders does while it follows a sound.
struct FollowThreadTests {
  @Test(
    .enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"),
    arguments: LiveMethod.methods)
  func `no memory is asked for while a sound is followed and the method changes`(
    method: ComposeMethod
  ) throws {
    let bench = EngineBench(clock: .stepped)
    let rate = bench.rig.drive.rate
    let queue = RealtimeQueue<StreamCommand>(capacity: 8192)
    let told = RealtimeQueue<StampedNotice>(capacity: 65_536)
    let sound = RealtimeQueue<Float>(capacity: 1 << 17)
    let heard = CaptureQueue(frames: 1 << 17, channels: 1)
    let marks = RealtimeQueue<HeardMark>(capacity: 1 << 12)
    var commands = queue.producer
    var samples = sound.producer
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 3.6)
    let laws = RenderConfiguration(rig: bench.rig, limits: limits, profile: nil)
    var core = RenderCore(
      stage: PlayerStage(
        StageConfiguration(laws: laws, limits: limits, fullScaleVolts: 3.6)),
      drive: bench.rig.drive, blockFrames: 64, commands: queue.consumer, notices: told.producer,
      sound: SoundLine(
        sound.consumer, pace: .arrival, feed: SoundFeed(), heard: heard.writer,
        marks: marks.producer))
    let program = PlayerProgram(
      HapticPattern(events: [
        HapticEvent(
          kind: .hapticContinuous, time: 0, duration: .infinity,
          parameters: EventParameters(intensity: 1, sharpness: 0.5))
      ]), configuration: laws, isEndless: true)
    let voice = LiveVoice()
    func lent(_ method: ComposeMethod) -> SoundMethod {
      let live = LiveMethod(ComposeSettings(method), rate: rate.hertz)
      return SoundMethod(
        state: voice.state(of: live), hopFrames: live.hopLength, hopSeconds: live.hop,
        LiveVoice.hear)
    }
    let (first, other) = (lent(method), lent(.bands))
    for command in [
      StreamCommand.add(ProgramLoan(program), slot: 0),
      .ask(
        .control(ControlStep(.hapticIntensity, value: 0)), slot: 0, time: 0, delay: 0, order: 1),
      .ask(.start, slot: 0, time: 0, delay: 0, order: 2), .sound(.hear(first)),
      .sound(.follow(slot: 0)), .sound(.pass(delay: 480)),
    ] {
      let fits = commands.push(command)
      #expect(fits)
    }
    var random = SeededRandom(seed: 0xa110c)
    let noise = (0..<64).map { _ in Float(random.uniform(-0.5...0.5)) }
    let silence = [Float](repeating: 0, count: 64)
    var (felt, passed): (Float, Float) = (0, 0)
    // What is looked up once is looked up.
    for _ in 0..<8 {
      _ = samples.write(noise.span)
      core.fill(64, now: 0)
    }
    allocationCounterStart()
    for block in 0..<1_500 {
      _ = samples.write(block % 200 < 60 ? noise.span : silence.span)
      if block == 700 { _ = commands.push(.sound(.hear(other))) }
      core.fill(64, now: 0)
      for frame in 0..<64 {
        felt = max(felt, abs(core.block[frame * core.width]))
        passed = max(passed, abs(core.block[frame * core.width + 1]))
      }
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
    #expect(felt > 0.05)
    #expect(passed > 0.1)
    withExtendedLifetime((program, voice)) {}
  }
}
