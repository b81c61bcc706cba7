// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom
import SignalAnalysis
import Testing
import Units

@testable import CoreHaptics
@testable import Workflows

/// What is told of latency where frames were lost, or nobody came to look.
struct LatencyMeterTests {
  /// A sound, the drive that follows it and the motion that follows the drive, by known delays.
  private final class Bench {
    static let rate = SampleRate(hertz: 48_000)
    static let toDrive = 180
    static let toMotion = 600
    static let gravity: Float = 9.81
    private var random: SeededRandom
    private var onsets: [Int] = [2_000]
    private let rig = RigDescription.standard
    private let tap: FollowTap
    let meter: LatencyMeter
    private var heard: CaptureWriter
    private var marks: RealtimeQueue<HeardMark>.Producer
    private var frame = 0

    init(seed: UInt64) {
      random = SeededRandom(seed: seed)
      let capacity = Self.rate.wholeFrames(LatencyMeter.queueSeconds)
      let heard = CaptureQueue(frames: capacity, channels: 1)
      let marks = RealtimeQueue<HeardMark>(capacity: 1 << 16)
      let drive = CaptureQueue(frames: capacity, channels: 1)
      let captured = CaptureQueue(frames: capacity, channels: FollowTap.capturedCount)
      meter = LatencyMeter(
        rate: Self.rate, isOwn: false, isPaced: true, heard: heard.reader, marks: marks.consumer,
        drive: drive.reader, captured: captured.reader)
      tap = FollowTap(rig, drive: drive.writer, captured: captured.writer, watcher: nil)
      self.heard = heard.writer
      self.marks = marks.producer
    }

    private func burst(_ frame: Int, _ pitch: Double) -> Float {
      for onset in onsets where frame >= onset && frame < onset + 5_000 {
        let time = Double(frame - onset) / 48_000
        return Float(exp(-40 * time) * sin(2 * .pi * pitch * time))
      }
      return 0
    }

    /// Goes on for some seconds, with frames of the capture or the drive lost on the way.
    func go(_ seconds: Double, captureLost: Range<Double>? = nil, driveLost: Range<Double>? = nil) {
      let end = frame + Int(seconds * 48_000)
      while let last = onsets.last, last < end + 5_000 {
        onsets.append(last + random.integer(12_000...36_000))
      }
      onsets.removeAll { $0 < frame - 20_000 }
      func frames(_ range: Range<Double>) -> Range<Int> {
        Int(range.lowerBound * 48_000)..<Int(range.upperBound * 48_000)
      }
      let gap = captureLost.map(frames) ?? 0..<0
      let unplayed = driveLost.map(frames) ?? 0..<0
      let (width, channels) = (rig.drive.channelCount, rig.capture.channels)
      while frame < end {
        let block = frame..<min(end, frame + 64)
        var (sound, sent, had) = ([Float](), [Float](), [Float]())
        for place in block {
          sound.append(burst(place, 440))
          let drive = burst(place - Self.toDrive, 170)
          var row = [Float](repeating: 0, count: width)
          row[(rig.drive.channels[.haptic] ?? 1) - 1] = drive
          sent += row
          let cause = place - Self.toMotion
          let played = unplayed.contains(cause) ? 0 : burst(cause - Self.toDrive, 170)
          for channel in channels {
            let noise = Float(1e-3 * random.gaussian())
            let value =
              switch channel.role {
              case .acceleration: Self.gravity + 20 * played
              case .reference: drive
              default: Float(0)
              }
            had.append(gap.contains(place) ? 0 : value + noise)
          }
        }
        _ = heard.write(sound.span)
        _ = marks.push(HeardMark(frame: block.upperBound, count: block.upperBound))
        tap.drive(sent.span)
        tap.capture(had.span)
        frame = block.upperBound
      }
      if !gap.isEmpty {
        tap.lost(
          StreamEvent(kind: .overrun, frame: gap.lowerBound, length: gap.count), ofDrive: false)
      }
      if !unplayed.isEmpty {
        let event = StreamEvent(
          kind: .underrun, frame: unplayed.lowerBound, length: unplayed.count)
        tap.lost(event, ofDrive: true)
      }
    }

    /// Whether a window says what was built.
    static func isTrue(_ window: LatencyMeter.Window, within seconds: Double = 5e-4) -> Bool {
      guard let drive = window.heardToDrive?.delay.value,
        let motion = window.driveToMotion?.delay.value,
        let whole = window.heardToMotion?.delay.value
      else { return false }
      let rate = 48_000.0
      return abs(drive - Double(toDrive) / rate) < seconds
        && abs(motion - Double(toMotion) / rate) < seconds
        && abs(whole - Double(toDrive + toMotion) / rate) < seconds
    }
  }

  @Test func `what was built is told, window by window`() {
    let bench = Bench(seed: 1)
    bench.go(17)
    let windows = bench.meter.look()
    #expect(windows.count == 4 && windows.allSatisfy { Bench.isTrue($0) })
  }

  @Test(arguments: [0.01, 0.1, 0.3])
  func `frames that the capture lost are no rise of the motion`(_ length: Double) {
    for seed in UInt64(1)...8 {
      let bench = Bench(seed: seed)
      let first = 1 + Double(seed) * 0.3
      bench.go(5, captureLost: first..<(first + length))
      let windows = bench.meter.look()
      #expect(
        windows.count == 1 && Bench.isTrue(windows[0], within: 1e-3), "seed \(seed): \(windows)")
    }
  }

  @Test func `frames that were not played move nothing`() {
    for seed in UInt64(1)...8 {
      let bench = Bench(seed: seed)
      let first = 0.5 + Double(seed) * 0.3
      bench.go(5, driveLost: first..<(first + 0.5))
      let windows = bench.meter.look()
      let motion = windows.first?.driveToMotion?.delay.value ?? 0
      #expect(abs(motion - Double(Bench.toMotion) / 48_000) < 5e-4, "seed \(seed): \(windows)")
    }
  }

  @Test func `where much of a window was not had the motion is not told`() {
    let bench = Bench(seed: 3)
    bench.go(5, captureLost: 1..<2.5)
    let windows = bench.meter.look()
    #expect(windows.count == 1)
    #expect(windows.first?.heardToDrive != nil)
    #expect(windows.allSatisfy { $0.driveToMotion == nil && $0.soundToMotion == nil })
  }

  @Test func `a meter that nobody asked for longer than its queues hold is right afterwards`() {
    let bench = Bench(seed: 5)
    bench.go(9)
    #expect(bench.meter.look().count == 2)
    // The queues are full after 20 s.
    bench.go(31)
    _ = bench.meter.look()
    for _ in 0..<40 {
      bench.go(0.5)
      _ = bench.meter.look()
    }
    var windows: [LatencyMeter.Window] = []
    for _ in 0..<40 {
      bench.go(0.5)
      windows += bench.meter.look()
    }
    #expect(windows.count >= 4 && windows.allSatisfy { Bench.isTrue($0) }, "\(windows)")
  }
}
