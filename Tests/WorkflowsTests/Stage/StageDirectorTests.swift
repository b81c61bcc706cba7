// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import Bench
import CoreHaptics
import Devices
import HapticRendering
import JSONText
import SeededRandom
import Synchronization
import Testing
import Units
import Workflows

/// What a stage drives, by the frames that it sends: a rig on a clock that only the test moves.
struct StageDirectorTests {
  /// Keeps the first channel of the drive.
  final class DriveTape: SignalTap {
    let samples = Mutex<[Float]>([])
    let width: Int

    init(width: Int) { self.width = width }

    func begin() {}

    func drive(_ frames: Span<Float>) {
      samples.withLock { samples in
        for place in stride(from: 0, to: frames.count, by: width) { samples.append(frames[place]) }
      }
    }

    func capture(_ frames: Span<Float>) {}

    func lost(_ event: StreamEvent, ofDrive: Bool) {}
  }

  /// A stage with its director and what it has sent.
  struct Bench {
    let stage: RigStage
    let tape: DriveTape
    let stop = StopSignal()
    let builder: TakeBuilder
    var director: StageDirector
    var lines: [JSONValue] = []
    private(set) var frame = 0

    init(limits: DriveLimits? = nil, rate: Double? = nil) throws {
      var rig = RigDescription.standard
      if let limits { rig.actuators[0].limits = limits }
      if let rate { rig.drive.rate = SampleRate(hertz: rate) }
      builder = TakeBuilder(rig: rig, hasProbe: false)
      let tape = DriveTape(width: rig.drive.channelCount)
      self.tape = tape
      stage = try RigStage(
        rig, laws: builder.configuration, limits: builder.limits, isStepped: true, stop: stop,
        tap: { _ in tape }, log: { _ in })
      director = StageDirector(stage, builder: builder, reading: PatternReading())
    }

    var rate: Double { builder.rig.drive.rate.hertz }
    var time: Double { Double(frame) / rate }
    var drive: [Float] { tape.samples.withLock { $0 } }

    mutating func send(_ line: String, isHeld: Bool = true) {
      director.take(.line(Array(line.utf8), at: time, isHeld: isHeld))
    }

    mutating func play(_ pattern: HapticPattern, loop: Bool = false, _ others: String = "") {
      let text = JSONValue.string(AHAPWriter.text(pattern)).text(indent: nil)
      send(#"{"do":"play","ahap":\#(text),"loop":\#(loop)\#(others)}"#)
    }

    /// Moves on, and looks every 10 ms.
    mutating func advance(_ seconds: Double) {
      let end = frame + Int((seconds * rate).rounded())
      while frame < end {
        let count = min(end - frame, Int(rate / 100))
        guard stage.advance(frames: count) else { return }
        frame += count
        lines += director.look(at: time)
      }
    }

    var faults: [String] { lines.compactMap { $0["fault"]?.string } }

    /// The first frame that each command changed, as it was told, in the order of telling.
    func changed(_ word: String) -> [Int] {
      lines.filter { $0["did"]?["do"]?.string == word }.compactMap { line in
        guard let at = line["did"]?["at"]?.number, let delay = line["delay"]?.number else {
          return nil
        }
        return Int(((at + delay) * rate).rounded())
      }
    }
  }

  private func rms(_ samples: some Collection<Float>) -> Double {
    (samples.reduce(0) { $0 + Double($1 * $1) } / Double(max(1, samples.count))).squareRoot()
  }

  private func largestStep(_ samples: some Collection<Float>) -> Float {
    zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  private func vibration(
    _ intensity: Double, sharpness: Double = 0.5, at time: Double = 0, for duration: Double = 0.2
  ) -> HapticPattern {
    HapticPattern(events: [
      HapticEvent(
        kind: .hapticContinuous, time: time, duration: duration,
        parameters: EventParameters(intensity: intensity, sharpness: sharpness))
    ])
  }

  @Test(arguments: 0..<10)
  func `the drive of a tap begins in the frame that is told, and is the tap's own`(index: Int)
    throws
  {
    var random = SeededRandom(seed: 0x57b0_0000 + UInt64(index))
    var bench = try Bench()
    let (intensity, sharpness) = (random.uniform(0.2...1), random.uniform())
    bench.advance(random.uniform(0.05...0.3))
    // Sent a moment before it is read.
    let at = bench.time - random.uniform(0...0.02)
    bench.send(#"{"do":"tap","intensity":\#(intensity),"sharpness":\#(sharpness),"at":\#(at)}"#)
    bench.advance(0.1)
    let frame = try #require(bench.changed("tap").first, "\(bench.lines)")
    let pattern = HapticPattern(events: [
      HapticEvent(
        kind: .hapticTransient, time: 0,
        parameters: EventParameters(intensity: intensity, sharpness: sharpness))
    ])
    let configuration = bench.builder.configuration
    var renderer = HapticRenderer(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
    var tap = [Float](repeating: 0, count: renderer.frameCount)
    var span = tap.mutableSpan
    renderer.render(haptic: &span)
    let drive = bench.drive
    #expect(drive[..<frame].allSatisfy { $0 == 0 }, "\(random)")
    let worst = zip(tap, drive[frame...]).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-4, "\(random)")
    #expect(tap.prefix(3).contains { abs($0) > 1e-4 }, "the tap has no silence of its own")
    #expect(drive[(frame + tap.count)...].allSatisfy { $0 == 0 })
  }

  @Test func `a touch follows the finger, and is over when it is lifted`() throws {
    var bench = try Bench()
    bench.advance(0.1)
    bench.send(#"{"do":"touch","finger":1,"intensity":0.25,"sharpness":0.2,"at":0.1}"#)
    bench.advance(0.2)
    for (time, intensity) in [(0.3, 1.0), (0.5, 0.5)] {
      bench.send(
        #"{"do":"touch","finger":1,"intensity":\#(intensity),"sharpness":0.9,"at":\#(time)}"#)
      bench.advance(0.2)
    }
    bench.send(#"{"do":"lift","finger":1,"at":0.7}"#)
    bench.advance(0.1)
    // Lifted again: nothing to do, and nothing wrong.
    bench.send(#"{"do":"lift","finger":1}"#)
    bench.advance(0.05)
    #expect(bench.faults == [])
    let drive = bench.drive
    let touched = bench.changed("touch")
    try #require(touched.count == 3, "\(bench.lines)")
    func level(_ from: Double, _ to: Double) -> Double {
      rms(drive[Int(from * bench.rate)..<Int(to * bench.rate)])
    }
    // The amplitude is the square of the intensity.
    let full = level(0.35, 0.5)
    #expect(full > 0.1)
    #expect(abs(level(0.15, 0.3) / full - 0.0625) < 0.002)
    #expect(abs(level(0.55, 0.7) / full - 0.25) < 0.005)
    #expect(drive[..<touched[0]].allSatisfy { $0 == 0 })
    #expect(drive[touched[0]..<(touched[0] + 200)].contains { $0 != 0 })
    let lifted = try #require(bench.changed("lift").first)
    #expect(drive[(lifted - 100)..<lifted].contains { abs($0) > 0.01 })
    #expect(drive[(lifted + 96 + 2)...].allSatisfy { $0 == 0 }, "it falls within 2 ms")
    // Between two places of a finger there is no step that a steady vibration does not have.
    let steady = largestStep(drive[Int(0.35 * bench.rate)..<Int(0.5 * bench.rate)])
    #expect(largestStep(drive[touched[1]..<(touched[1] + 480)]) < steady * 1.1)
    #expect(largestStep(drive[touched[2]..<(touched[2] + 480)]) < steady * 1.1)
  }

  @Test func `a touch with a decay dies away while it is held, and rises by its attack`() throws {
    var bench = try Bench()
    bench.send(
      #"{"do":"touch","finger":"a","intensity":1,"sharpness":0.5,"attack":0.5,"decay":0.5}"#)
    bench.advance(0.5)
    let drive = bench.drive
    // 0.5 is the geometric mean of 1 ms and 1 s: 32 ms up, 32 ms down.
    let (early, top, late) = (rms(drive[..<240]), rms(drive[1300..<1800]), rms(drive[4000...]))
    #expect(early < top / 3 && late < 1e-6 && top > 0.1)
    bench.send(#"{"do":"lift","finger":"a"}"#)
    bench.advance(0.1)
    #expect(bench.faults == [])
  }

  @Test(arguments: 0..<40)
  func `an edited loop goes on at its place, without a step that neither pattern has`(
    index: Int
  ) throws {
    var random = SeededRandom(seed: 0x57b1_0000 + UInt64(index))
    let patterns = (0..<2).map { _ in
      vibration(random.uniform(0.2...1), sharpness: random.uniform(), at: random.uniform(0...0.02))
    }
    func alone(_ pattern: HapticPattern) throws -> [Float] {
      var bench = try Bench()
      bench.play(pattern, loop: true)
      bench.advance(0.6)
      return bench.drive
    }
    var bench = try Bench()
    bench.play(patterns[0], loop: true, #","id":3,"at":0"#)
    bench.advance(random.uniform(0.05...0.15))
    bench.play(patterns[1], loop: true, #","id":3,"at":\#(bench.time)"#)
    bench.advance(0.5)
    let frame = try #require(bench.changed("play").last)
    let (one, other) = (try alone(patterns[0]), try alone(patterns[1]))
    let own = max(largestStep(one), largestStep(other))
    let drive = bench.drive
    #expect(largestStep(drive[(frame - 2)..<(frame + 1000)]) <= own * 1.001, "\(random)")
    #expect(Array(drive[..<frame]) == Array(one[..<frame]), "\(random)")
    // The silence of the new loop's beginning is where it is when it plays alone, to a frame of rounding.
    let length = patterns[1].duration
    let turn = Int((2 * length * bench.rate).rounded()) + 100
    let silent = Int((patterns[1].events[0].time * bench.rate)) - 100
    if silent > 10 {
      #expect(drive[turn..<(turn + silent)].allSatisfy { $0 == 0 }, "\(random)")
      #expect(other[turn..<(turn + silent)].allSatisfy { $0 == 0 }, "\(random)")
    }
    #expect(bench.faults == [])
    #expect(bench.lines.allSatisfy { $0["ended"] == nil }, "an edited play is one play")
  }

  @Test func `a part is played from its beginning to its end, once or in a loop`() throws {
    let pattern = HapticPattern(events: [
      HapticEvent(kind: .hapticTransient, time: 0),
      HapticEvent(kind: .hapticTransient, time: 0.2),
      HapticEvent(kind: .hapticTransient, time: 0.4),
    ])
    var bench = try Bench()
    bench.play(pattern, #","from":0.15,"to":0.3,"id":1"#)
    bench.advance(0.4)
    let once = bench.drive
    #expect(once[..<2400].allSatisfy { $0 == 0 })
    #expect(once[2400..<3500].contains { abs($0) > 0.1 })
    #expect(once[3600...].allSatisfy { $0 == 0 })
    #expect(bench.lines.contains { $0["ended"]?.integer == 1 })
    bench.play(pattern, loop: true, #","from":0.15,"to":0.3,"id":2"#)
    bench.advance(0.45)
    let began = once.count
    for turn in 0..<3 {
      let first = began + turn * 7200
      #expect(bench.drive[(first + 1100)..<(first + 2400)].allSatisfy { $0 == 0 })
      #expect(bench.drive[(first + 2400)..<(first + 3500)].contains { abs($0) > 0.1 })
    }
    bench.send(#"{"do":"stop"}"#)
    bench.advance(0.1)
    #expect(bench.lines.contains { $0["ended"]?.integer == 2 })
    let heads = bench.lines.compactMap { $0["head"]?.number }
    #expect(heads.count >= 5 && heads.allSatisfy { (0.15...0.3).contains($0) }, "\(heads)")
    #expect(bench.lines.filter { $0["head"] != nil }.allSatisfy { $0["of"]?.number ?? 0 > 0.4 })
  }

  @Test func `a play takes the place of another, and each end is told`() throws {
    var bench = try Bench()
    bench.play(vibration(1, for: 1), #","id":1"#)
    bench.advance(0.1)
    bench.play(vibration(0.2, for: 0.1), #","id":2"#)
    bench.advance(0.3)
    #expect(bench.lines.compactMap { $0["ended"]?.integer } == [1, 2])
    let drive = bench.drive
    #expect(rms(drive[4900..<9000]) < rms(drive[1000..<4700]) / 10, "the first is silent")
    #expect(drive[(9600 + 100)...].allSatisfy { $0 == 0 })
  }

  @Test func `what is wrong is told and stops nothing`() throws {
    var bench = try Bench()
    bench.send(#"{"do":"tap","intensity":1,"sharpness":1}"#, isHeld: false)
    bench.advance(0.1)
    #expect(bench.drive.allSatisfy { $0 == 0 }, "nothing is driven before the first beat")
    bench.play(vibration(1, for: 10))
    bench.advance(0.1)
    bench.director.take(.tooLong)
    bench.send("nonsense")
    bench.send(#"{"do":"play","ahap":"{\"Pattern\": [\n  7\n]}","name":"x/bad.ahap"}"#)
    bench.send(#"{"do":"play","ahap":"{\"Version\":1.0,\"Pattern\":[]}"}"#)
    bench.play(vibration(1, for: 0.1), #","from":5"#)
    bench.advance(0.1)
    let told = bench.faults
    try #require(told.count == 6, "\(told)")
    #expect(told[0].contains("nobody holds the drive yet"))
    #expect(told[1].contains("more than 8388608 bytes"))
    #expect(told[2].hasPrefix("column 2:") || told[2].hasPrefix("column 1:"), "\(told[2])")
    #expect(told[3].hasPrefix("x/bad.ahap:2:3: "), "\(told[3])")
    #expect(!told[3].contains("\n"))
    #expect(told[4].contains("no event"), "\(told[4])")
    #expect(told[5].contains("'from' is 5.0 s"), "\(told[5])")
    #expect(rms(bench.drive.suffix(2000)) > 0.1, "the vibration goes on")
  }

  @Test func `the limits of the actuator hold whatever comes`() throws {
    let limits = DriveLimits(continuousVolts: 0.4, peakVolts: 0.8)
    var bench = try Bench(limits: limits)
    let volts = Float(bench.builder.rig.drive.fullScaleVolts)
    for finger in 0..<StageDirector.mostFingers {
      bench.send(
        #"{"do":"touch","finger":\#(finger),"intensity":1,"sharpness":\#(Double(finger % 9) / 8)}"#)
    }
    bench.send(#"{"do":"touch","finger":"one more","intensity":1,"sharpness":0}"#)
    for _ in 0..<20 { bench.send(#"{"do":"tap","intensity":1,"sharpness":1}"#) }
    bench.advance(3)
    #expect(bench.faults == ["64 fingers are down already: lift one first"])
    let drive = bench.drive
    let peak = drive.map { abs($0) }.max() ?? 0
    #expect(peak * volts <= 0.8 * 1.0001)
    #expect(peak * volts > 0.3)
    #expect(rms(drive.suffix(48_000)) * Double(volts) <= 0.4 * 1.02)
    // A pattern that asks for more by itself is refused.
    let steep = DriveLimits(
      continuousVolts: 2.5, peakVolts: 3.6, slope: 100)
    var other = try Bench(limits: steep)
    other.play(HapticPattern(events: [HapticEvent(kind: .hapticTransient, time: 0)]))
    other.advance(0.1)
    #expect(other.faults.count == 1 && other.faults[0].contains("'limits.slope'"))
    #expect(other.drive.allSatisfy { $0 == 0 })
  }

  @Test func `a stage that nobody holds is at zero within 100 ms, and no sooner`() throws {
    var random = SeededRandom(seed: 0x57b2)
    for trial in 0..<1000 {
      let last = random.uniform(0.05...0.6)
      let isClosed = trial % 2 == 0
      let end = isClosed ? last + random.uniform(0.01...0.4) : last + DeadMansSwitch.patience
      var bench = try Bench(rate: 8000)
      bench.play(vibration(1, for: 5), loop: true)
      bench.send(#"{"do":"touch","finger":1,"intensity":0.7,"sharpness":0.3}"#)
      var input = StageInput(at: 0)
      var beats = stride(from: 0, to: last, by: 0.1).map { $0 } + [last]
      let looks = random.uniform(0...0.003)
      var isOver = false
      while bench.time < end + 0.2, !isOver {
        let now = bench.time + looks
        if let beat = beats.first, beat <= now {
          _ = input.take(Array(".\n".utf8), at: beat)
          beats.removeFirst()
        } else if isClosed, now >= end {
          _ = input.take([], at: now)
        } else if input.remaining(at: now) == 0 {
          _ = input.take(nil, at: now)
        }
        if input.reason != nil { bench.stop.request(1) }
        let before = bench.time
        bench.advance(0.004)
        isOver = bench.time == before
      }
      let drive = bench.drive
      let final = Double(drive.lastIndex { $0 != 0 } ?? 0) / bench.rate
      #expect(isOver, "\(random), trial \(trial)")
      #expect(
        final <= end + 0.1 && final > end - 0.02, "\(random), trial \(trial): \(final), \(end)")
      #expect(throws: DeviceError.self) { try bench.stage.isOver() }
    }
  }
}
