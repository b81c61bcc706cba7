import Devices
import Units

/// What stays the same over all takes of a simulated rig: wiring, rates, kernels.
struct SimulationSetup: Sendable {
  /// One channel of the drive that leads somewhere.
  struct DriveLine: Sendable {
    let role: DriveRole
    /// The place of its sample in a drive frame.
    let index: Int
  }

  /// Where the samples of a capture channel come from.
  enum Source: Sendable {
    /// Drive lines, by their index in `driveLines`, averaged, scaled and late by a time of their own.
    case lines([Int], gain: Double, delay: Double)
    /// The sensor: shares of the motion along and across, an offset, its delay in seconds.
    case motion(share: SIMD2<Float>, offset: Float, delay: Double)
    /// The current through the coil.
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

  /// The rig's name, for messages.
  let device: String
  let simulation: SimulationDescription
  let rate: SampleRate
  let driveFormat: StreamFormat
  let fullScaleVolts: Double
  let driveLines: [DriveLine]
  /// The index in `driveLines` of the line that feeds the actuator.
  let hapticLine: Int
  let channels: [CaptureChannelDescription]
  let sources: [Source]
  let converters: [CaptureConverter]
  let faults: FaultScript
  /// Steps of the plant to one nominal frame.
  let oversampling: Int
  /// Reads the drive between its frames.
  let driveKernel: InterpolationKernel
  /// Reads the plant between its steps and keeps what lies above the capture's band out.
  let plantKernel: InterpolationKernel

  /// Reads a description whose drive is simulated.
  init(_ rig: RigDescription, simulation: SimulationDescription) {
    device = rig.name
    self.simulation = simulation
    rate = rig.drive.rate
    fullScaleVolts = rig.drive.fullScaleVolts
    faults = FaultScript(simulation.faults, rate: rate.hertz)
    // In the order of the roles, so that no dictionary's order reaches the samples.
    var lines = DriveRole.allCases.compactMap { role in
      rig.drive.channels[role].map { DriveLine(role: role, index: $0 - 1) }
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

  /// The format of the capture.
  var captureFormat: StreamFormat {
    StreamFormat(
      rate: rate, channelCount: channels.count, periodFrames: driveFormat.periodFrames)
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

extension SimulationSetup {
  /// The frames between two clipped ones that still belong to one overload.
  var overloadGap: Int { Int(0.01 * rate.hertz) }
}
