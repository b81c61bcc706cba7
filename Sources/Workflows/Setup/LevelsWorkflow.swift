// SPDX-License-Identifier: Apache-2.0

import Bench
package import Devices
package import JSONText
import LiveRuns
import Reporting
import RigDevices
import Synchronization
import Units

/// Shows what a rig's inputs hear while somebody turns a gain or taps on a sensor.
///
/// The drive is silent.
package struct LevelsWorkflow: Sendable {
  private let rig: RigDescription
  private let user: RigOperator

  package init(_ rig: RigDescription, by user: RigOperator) {
    self.rig = rig
    self.user = user
  }

  /// Ends after the time, or when somebody asks to stop, with the highest levels.
  package func execute(seconds: Double) async throws -> InputLevels {
    let open = try OpenRig(rig, slack: .recorded, stop: user.stop) { [user] in
      user.notice(.device, $0)
    }
    guard let input = open.input else { throw InputError("the rig does not record") }
    let meter = LevelMeter(open.description.capture.channels)
    let session = Session(
      rig: open.description, output: open.output, input: input, stop: user.stop,
      isPaced: open.isPaced, tap: meter)
    user.tell(.work(LiveEvent.Work(rig: rig.name, title: "levels")))
    // A stretch at a time: a take is kept in memory.
    var left = seconds
    while left > 0, user.stop.requested == nil {
      let stretch = min(left, 60)
      let count = rig.drive.rate.wholeFrames(stretch)
      let silence = DriveFrames(
        channels: [:] as [DriveRole: [Float]], count: count, rate: rig.drive.rate)
      let recording = await session.play(silence) { [user, left] share in
        user.tell(.step(meter.line, share: (seconds - left + share * stretch) / seconds))
      }
      if let fault = recording.fault, fault.code != .interrupted { throw fault }
      left -= stretch
    }
    user.tell(.idle)
    try open.finish()
    return meter.levels
  }
}

/// The highest and the latest level of each input.
package struct InputLevels: Sendable {
  struct Input: Sendable {
    let name: String
    let unit: MeasurementUnit
    let peak: Double
    let rms: Double
    /// The peak as a share of the converter's end; `nil` for a channel that has none.
    let share: Double?
  }

  let inputs: [Input]

  package var text: String {
    TextTable(
      head: ["input", "highest", "of full scale", "RMS about the mean"],
      rows: inputs.map { input in
        [
          input.name, Self.text(input.peak, input.unit), input.share.map(Self.percent) ?? "",
          Self.text(input.rms, input.unit),
        ]
      }
    ).text + advice
  }

  static func text(_ value: Double, _ unit: MeasurementUnit) -> String {
    unit == .volt ? WiringSearch.volts(value) : EngineeringFormat.text(value, unit)
  }

  static func percent(_ share: Double) -> String {
    EngineeringFormat.fixed(100 * share, share < 0.1 ? 1 : 0) + " %"
  }

  private var advice: String {
    inputs.filter { ($0.share ?? 0) > 0.98 }.map { "\($0.name) is clipped: turn its gain down\n" }
      .joined()
  }

  package var json: JSONValue {
    .object(of: [
      "schema": "haprig.levels/1",
      "inputs": inputs.map { input in
        JSONValue.object(of: [
          "name": input.name, "unit": input.unit.rawValue, "peak": input.peak, "rms": input.rms,
          "share": input.share,
        ])
      },
    ])
  }
}

/// Reads levels off the frames as they pass.
///
/// The session's thread writes and reads: a value may be looked at from
/// elsewhere, but never waits.
private final class LevelMeter: SignalTap {
  private final class Channel: Sendable {
    let name: String
    let unit: MeasurementUnit
    let fullScale: Double?
    /// The bits of floats.
    let peak = Atomic<UInt32>(0)
    let blockPeak = Atomic<UInt32>(0)
    /// The bits of sums over all frames, of the values and of their squares.
    let sum = Atomic<UInt64>(0)
    let squares = Atomic<UInt64>(0)
    let count = Atomic<Int>(0)

    /// Adds to a sum that only the session's thread writes.
    static func add(_ value: Double, to sum: borrowing Atomic<UInt64>) {
      let before = Double(bitPattern: sum.load(ordering: .relaxed))
      sum.store((before + value).bitPattern, ordering: .relaxed)
    }

    var rms: Double {
      let frames = Double(max(1, count.load(ordering: .relaxed)))
      let mean = Double(bitPattern: sum.load(ordering: .relaxed)) / frames
      let square = Double(bitPattern: squares.load(ordering: .relaxed)) / frames
      return max(0, square - mean * mean).squareRoot()
    }

    init(_ channel: CaptureChannelDescription) {
      name = channel.name
      unit = channel.unit
      fullScale = channel.fullScaleVolts == nil ? nil : channel.scale
    }
  }

  private let channels: [Channel]

  init(_ channels: [CaptureChannelDescription]) { self.channels = channels.map(Channel.init) }

  func begin() {}
  func drive(_ frames: Span<Float>) {}
  func lost(_ event: StreamEvent, ofDrive: Bool) {}

  func capture(_ frames: Span<Float>) {
    let width = channels.count
    let count = frames.count / width
    guard count > 0 else { return }
    for (index, channel) in channels.enumerated() {
      var (peak, sum, squares): (Float, Double, Double) = (0, 0, 0)
      var place = index
      while place < frames.count {
        let value = frames[place]
        peak = max(peak, abs(value))
        sum += Double(value)
        squares += Double(value) * Double(value)
        place += width
      }
      let highest = max(peak, Float(bitPattern: channel.peak.load(ordering: .relaxed)))
      channel.peak.store(highest.bitPattern, ordering: .relaxed)
      channel.blockPeak.store(peak.bitPattern, ordering: .relaxed)
      Channel.add(sum, to: channel.sum)
      Channel.add(squares, to: channel.squares)
      channel.count.wrappingAdd(count, ordering: .relaxed)
    }
  }

  /// What a person sees while it goes on.
  var line: String {
    channels.map { channel in
      let peak = Double(Float(bitPattern: channel.blockPeak.load(ordering: .relaxed)))
      let share = channel.fullScale.map { " (\(InputLevels.percent(peak / $0)))" } ?? ""
      return "\(channel.name) \(InputLevels.text(peak, channel.unit))\(share)"
    }.joined(separator: "   ")
  }

  var levels: InputLevels {
    InputLevels(
      inputs: channels.map { channel in
        let peak = Double(Float(bitPattern: channel.peak.load(ordering: .relaxed)))
        return InputLevels.Input(
          name: channel.name, unit: channel.unit, peak: peak,
          rms: channel.rms,
          share: channel.fullScale.map { peak / $0 })
      })
  }
}
