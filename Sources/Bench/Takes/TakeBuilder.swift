import AHAP
public import Actuators
public import Devices
public import HapticRendering
public import Profiles
import SignalAnalysis
import Units

/// Renders patterns to takes for one actuator of a rig.
public struct TakeBuilder: Sendable {
  /// The rig.
  public let rig: RigDescription
  /// The laws.
  public let configuration: RenderConfiguration
  /// What the drive is held to.
  public let limits: DriveLimits
  /// Whether takes begin with the probe.
  public let hasProbe: Bool

  /// Makes a builder for the rig's first actuator, under laws whose full scale and waveform are the actuator's.
  ///
  /// - Parameters:
  ///   - rig: The rig.
  ///   - laws: The laws; sharpness and intensity are the profile's where there is one.
  ///   - profile: The actuator's calibration; `nil` drives it by shares of the safe full scale.
  ///   - hasProbe: Whether takes begin with the probe.
  public init(
    rig: RigDescription, laws: RenderConfiguration = .init(), profile: CalibrationProfile? = nil,
    hasProbe: Bool
  ) {
    self.rig = rig
    let actuator = rig.actuators[0]
    limits = profile?.actuator.limits ?? actuator.limits
    let isTone = actuator.kind != .erm
    var configuration = laws
    configuration.rate = rig.drive.rate
    configuration.waveform = isTone ? .tone : .level
    configuration.fullScale =
      limits.safeFullScale(fullScaleVolts: rig.drive.fullScaleVolts, isTone: isTone)
      / rig.drive.fullScaleVolts
    if let profile {
      configuration.sharpnessLaw = profile.laws.sharpness
      configuration.intensityLaw = profile.laws.intensity
      configuration.profile = ProfileRendering(
        profile: profile, fullScaleVolts: rig.drive.fullScaleVolts, rate: rig.drive.rate,
        transientLength: laws.transientShape.length)
    }
    self.configuration = configuration
    self.hasProbe = hasProbe
  }

  /// Resolves a pattern under the builder's laws.
  public func timeline(of pattern: LoadedPattern) -> Timeline {
    pattern.timeline(under: configuration)
  }

  /// Renders a pattern to a take.
  public func build(_ pattern: LoadedPattern) -> TakeDrive {
    let rate = configuration.rate
    let timeline = timeline(of: pattern)
    var renderer = HapticRenderer(
      timeline: timeline, configuration: configuration, sounds: pattern.sounds)
    let marker = Sweep.marker.samples(at: rate)
    let probe = hasProbe ? probeSamples : nil
    let layout = TakeLayout(
      rate: rate, patternLength: renderer.frameCount, probeLength: probe?.count,
      markerLength: marker.count)

    let scale = configuration.fullScale * (probe == nil ? 1 : probeShare)
    var limiter = DriveLimiter(
      limits: limits, fullScaleVolts: rig.drive.fullScaleVolts, rate: rate.hertz)
    let writers = rig.drive.channels.mapValues { _ in SampleWriter(expected: layout.frameCount) }
    for first in stride(from: 0, to: layout.frameCount, by: Self.blockFrames) {
      let frames = first..<min(first + Self.blockFrames, layout.frameCount)
      var block = rendered(frames, by: &renderer, layout: layout)
      if let probe, let start = layout.probe {
        block.haptic.place(probe, scaledBy: scale, at: start - first)
      }
      limiter.process(&block.haptic)
      wire(block, marker: marker, markerStarts: layout.markers.map { $0 - first }, to: writers)
    }

    let intent = Intent(timeline: timeline, configuration: configuration)
    return TakeDrive(
      channels: writers.mapValues { $0.finish() }, layout: layout, rate: rate,
      limited: limiter.counts,
      mixingLimited: renderer.limitedFrames,
      profileLimited: configuration.profile == nil ? nil : renderer.heldFrames,
      droppedEvents: renderer.droppedEventIndices,
      gamutOutside: configuration.profile.flatMap {
        GamutShare(of: intent, under: $0).outside
      }, intent: intent, sounds: pattern.sounds, configuration: configuration)
  }

  /// How many frames a take of a pattern has, without drawing it.
  public func frameCount(of pattern: LoadedPattern) -> Int {
    let rate = configuration.rate
    let renderer = HapticRenderer(
      timeline: timeline(of: pattern), configuration: configuration, sounds: pattern.sounds)
    return TakeLayout(
      rate: rate, patternLength: renderer.frameCount,
      probeLength: hasProbe ? probeSamples.count : nil,
      markerLength: Sweep.marker.samples(at: rate).count
    ).frameCount
  }

  /// The probe as shares of the safe full scale: a sweep, or the steps of a motor.
  var probeSamples: [Double] {
    configuration.waveform == .tone
      ? Sweep.probe.samples(at: configuration.rate)
      : MotorProbe.samples(at: configuration.rate)
  }

  /// Frames that are rendered in one go.
  private static let blockFrames = 1 << 14

  /// A part of the pattern's channels.
  private struct Block {
    var haptic: [Float]
    var left: [Float]
    var right: [Float]
  }

  /// The pattern's channels in some frames, which follow those that were asked for before, with silence before and
  /// after.
  private func rendered(
    _ frames: Range<Int>, by renderer: inout HapticRenderer, layout: TakeLayout
  ) -> Block {
    var haptic = [Float](repeating: 0, count: frames.count)
    let span = (layout.pattern..<(layout.pattern + layout.patternLength)).clamped(to: frames)
    guard !span.isEmpty else { return Block(haptic: haptic, left: haptic, right: haptic) }
    var (left, right) = (haptic, haptic)
    let inside = (span.lowerBound - frames.lowerBound)..<(span.upperBound - frames.lowerBound)
    var hapticSpan = haptic.mutableSpan
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    var hapticPart = hapticSpan._mutatingExtracting(inside)
    var leftPart = leftSpan._mutatingExtracting(inside)
    var rightPart = rightSpan._mutatingExtracting(inside)
    renderer.render(haptic: &hapticPart, left: &leftPart, right: &rightPart)
    return Block(haptic: haptic, left: left, right: right)
  }

  /// Adds to each of the device's roles what it is sent.
  private func wire(
    _ block: Block, marker: [Double], markerStarts: [Int], to writers: [DriveRole: SampleWriter]
  ) {
    for (role, writer) in writers {
      switch role {
      case .haptic: writer.append(block.haptic)
      case .audioLeft: writer.append(block.left)
      case .audioRight: writer.append(block.right)
      case .audio: writer.append(zip(block.left, block.right).map { ($0 + $1) / 2 })
      case .reference:
        var reference = block.haptic
        for start in markerStarts { reference.place(marker, at: start) }
        writer.append(reference)
      }
    }
  }
}
