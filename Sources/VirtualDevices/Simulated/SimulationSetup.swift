// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

/// What stays the same over all takes of a simulated rig: wiring, rates, kernels.
struct SimulationSetup: Sendable {
  struct DriveLine: Sendable {
    let role: DriveRole
    let index: Int
    /// Whether the wire's two conductors are swapped.
    var isReversed = false
  }

  enum Source: Sendable {
    /// Drive lines, by their index in `driveLines`, averaged, scaled and late by a time of their own.
    case lines([Int], gain: Double, delay: Double)
    /// The sensor: shares of the motion along and across, an offset, its delay in seconds.
    case motion(share: SIMD2<Float>, offset: Float, delay: Double)
    case current

    /// The way from the world to the capture's converter, in seconds.
    var delay: Double {
      switch self {
      case .lines(_, _, let delay), .motion(_, _, let delay): delay
      case .current: 0
      }
    }

    /// True where the samples are read off the plant's steps, not off the drive.
    var isPlant: Bool {
      if case .lines = self { false } else { true }
    }
  }

  let device: String
  let simulation: SimulationDescription
  let rate: SampleRate
  let driveFormat: StreamFormat
  let captureFormat: StreamFormat
  let slack: DriveSlack
  /// The frames that the drive holds ahead of the clock in real time.
  let bufferFrames: Int
  let fullScaleVolts: Double
  let driveLines: [DriveLine]
  let hapticLine: Int
  let channels: [CaptureChannelDescription]
  let sources: [Source]
  let converters: [CaptureConverter]
  let faults: FaultScript
  let oversampling: Int
  /// Reads the drive between its frames.
  let driveKernel: InterpolationKernel
  /// Reads the plant between its steps and keeps what lies above the capture's band out.
  let plantKernel: InterpolationKernel

  init(
    _ rig: RigDescription, simulation: SimulationDescription, slack: DriveSlack = .live
  ) {
    device = rig.name
    self.simulation = simulation
    rate = rig.drive.rate
    fullScaleVolts = rig.drive.fullScaleVolts
    faults = FaultScript(simulation.faults, rate: rate.hertz)
    // In the order of the roles, so that no dictionary's order reaches the samples.
    var lines = DriveRole.allCases.compactMap { role in
      rig.drive.channels[role].map { channel in
        DriveLine(
          role: role, index: channel - 1,
          isReversed: simulation.wiring.map { $0.outputs[role] == -channel } ?? false)
      }
    }
    if !lines.contains(where: { $0.role == .haptic }) {
      lines.insert(DriveLine(role: .haptic, index: rig.channel(of: rig.actuators[0]) - 1), at: 0)
    }
    driveLines = lines
    hapticLine = lines.firstIndex { $0.role == .haptic } ?? 0
    driveFormat = StreamFormat(
      rate: rig.drive.rate,
      channelCount: max(rig.drive.channelCount, (lines.map(\.index).max() ?? 0) + 1),
      periodFrames: rig.drive.periodFrames)
    self.slack = slack
    let (period, queued) = (rig.drive.periodFrames, rig.drive.rate.wholeFrames(slack.seconds))
    bufferFrames =
      switch slack {
      // The drive goes on while a period finds room: what lies ahead is the rest.
      case .touched: period + queued
      case .live: 4 * period
      case .recorded: max(4 * period, queued)
      }
    captureFormat = rig.captureFormat
    channels = rig.capture.channels
    sources = Self.sources(
      of: rig.capture, lines: lines, haptic: hapticLine, volts: fullScaleVolts, simulation)
    converters = zip(channels, sources).map { [rate] channel, source in
      CaptureConverter(channel, source: source, simulation, rate: rate)
    }
    // 44,100 steps a second and more: the voltage between them is good to 4e-4 at 5 kHz.
    oversampling = max(1, Int((44_100 / rate.hertz).rounded(.up)))
    driveKernel = InterpolationKernel(reach: 16, decimation: 1)
    plantKernel =
      oversampling == 1 ? driveKernel : InterpolationKernel(reach: 16, decimation: oversampling)
  }

  private static func sources(
    of capture: CaptureDescription, lines: [DriveLine], haptic: Int, volts: Double,
    _ simulation: SimulationDescription
  ) -> [Source] {
    let axis = capture.channel(.acceleration)?.axis
    let sound = lines.indices.filter {
      [.audio, .audioLeft, .audioRight].contains(lines[$0].role)
    }
    let microphones = capture.channels.filter { $0.role == .audio }.map(\.name)
    let reference = lines.indices.filter { lines[$0].role == .reference }
    return capture.channels.map { channel in
      switch channel.role {
      case .acceleration:
        motion(of: channel, along: channel.axis == axis, simulation)
      case .audio:
        // Two microphones of two channels hear one each; else each hears the mean.
        .lines(
          microphones.count == sound.count
            ? microphones.firstIndex(of: channel.name).map { [sound[$0]] } ?? sound : sound,
          gain: simulation.sound.gain, delay: simulation.sound.latency)
      case .reference: .lines(reference, gain: volts, delay: 0)
      case .voltage: .lines([haptic], gain: volts, delay: 0)
      case .current: .current
      }
    }
  }

  private static func motion(
    of channel: CaptureChannelDescription, along: Bool, _ simulation: SimulationDescription
  ) -> Source {
    let (gravity, cross) = (simulation.sensor.gravity, simulation.sensor.crossAxis)
    let tilted = max(0, 1 - gravity * gravity).squareRoot()
    return .motion(
      share: along ? [1, Float(cross)] : [Float(cross), 1],
      offset: Float(MeasurementUnit.standardGravity.factor * (along ? gravity : tilted)),
      delay: simulation.transportDelay + (channel.sensor?.delay ?? 0))
  }
}

/// What the world and the converter do to one capture channel, in the channel's own unit.
struct CaptureConverter: Sendable {
  let offset: Float
  /// The standard deviation of the sensor's noise, or of the sound's.
  let worldNoise: Float
  let sensorFullScale: Float
  /// The standard deviation of the converter's noise.
  let noise: Float
  /// Where the converter clips; infinite for a channel without a scale.
  let fullScale: Float
  /// A step of the converter, or `nil` where it does not round.
  let step: Double?

  /// Reads a channel off its rig.
  ///
  /// A channel without a scale of its own delivers SI units: it has the converter's noise where its
  /// unit is the volt, and no other mark of the converter.
  init(
    _ channel: CaptureChannelDescription, source: SimulationSetup.Source,
    _ simulation: SimulationDescription, rate: SampleRate
  ) {
    let sensitivity = channel.sensor?.sensitivity
    switch (source, channel.role) {
    case (.motion(_, let offset, _), _):
      self.offset = offset
      // White over the capture's band: density^2 times half the rate.
      worldNoise = Float(simulation.sensor.noiseDensity * (rate.hertz / 2).squareRoot())
    case (_, .audio): (offset, worldNoise) = (0, Float(simulation.sound.noise))
    default: (offset, worldNoise) = (0, 0)
    }
    sensorFullScale = Float(simulation.sensor.fullScale)
    let converter = simulation.capture
    let isRecorded = sensitivity != nil || channel.unit == .volt
    noise = isRecorded ? Float(converter.noiseVolts / (sensitivity ?? 1)) : 0
    let fullScale = channel.fullScaleVolts.map { $0 / (sensitivity ?? 1) }
    self.fullScale = fullScale.map { Float($0) } ?? .infinity
    step =
      (1...24).contains(converter.bits)
      ? fullScale.map { $0 / Double(1 << (converter.bits - 1)) } : nil
  }
}

/// The faults of a simulation by the frames they touch, counted over all takes since it was opened.
struct FaultScript: Sendable {
  private let faults: [(kind: SimulationDescription.Fault.Kind, frames: Range<Int>)]

  init(_ faults: [SimulationDescription.Fault], rate: Double) {
    self.faults = faults.map { fault in
      let first = Self.frame(fault.time, rate: rate)
      let end = fault.duration.map { Self.frame(fault.time + $0, rate: rate) } ?? Int.max
      return (fault.kind, first..<max(first, end))
    }
  }

  var isEmpty: Bool { faults.isEmpty }

  /// The parts of a range of frames where one kind of fault holds; empty for almost every range.
  func windows(
    of kind: SimulationDescription.Fault.Kind, in range: Range<Int>
  ) -> [Range<Int>] {
    guard !faults.isEmpty else { return [] }
    return faults.lazy.filter { $0.kind == kind && $0.frames.overlaps(range) }
      .map { $0.frames.clamped(to: range) }
  }

  /// The frame from which the device is gone, if it goes.
  var unplugged: Int? {
    faults.lazy.filter { $0.kind == .unplug }.map(\.frames.lowerBound).min()
  }

  /// The frame of a time, far beyond any run where the time is.
  private static func frame(_ time: Double, rate: Double) -> Int {
    Int(min(max(0, (time * rate).rounded()), 0x1p52))
  }
}
