// SPDX-License-Identifier: Apache-2.0

public import Units

/// What the sensors of a rig delivered between a start and a stop, with all that is known of its time.
public struct Recording: Sendable, Equatable {
  /// One channel's samples, planar, in SI units.
  public struct Channel: Sendable, Equatable {
    /// The name, role and unit.
    public let description: CaptureChannel
    /// One sample a frame; frames that were lost hold zeros (see `captureEvents`).
    public var samples: Samples

    /// Makes a channel.
    public init(description: CaptureChannel, samples: Samples) {
      self.description = description
      self.samples = samples
    }

    /// Makes a channel of samples that are in memory.
    public init(description: CaptureChannel, samples: [Float]) {
      self.init(description: description, samples: Samples(samples))
    }
  }

  /// The channels in the device's order.
  public private(set) var channels: [Channel]
  /// The nominal rate of the capture.
  public let rate: SampleRate
  /// How many capture frames there are, in every channel.
  public let frameCount: Int
  /// How many drive frames were sent in the same time.
  public let driveFrameCount: Int
  /// Gaps, drops and overloads of the capture, in capture frames.
  public private(set) var captureEvents: [StreamEvent]
  /// Underruns and clipping of the drive, in drive frames.
  public let driveEvents: [StreamEvent]
  /// Looks at the drive's clock.
  public let driveClock: [ClockReading]
  /// Looks at the capture's clock.
  public let captureClock: [ClockReading]
  /// The fault that ended the recording early, if one did.
  public let fault: DeviceError?
  /// How the devices' stream went, where they keep count of it.
  public let statistics: StreamStatistics?
  /// What the drive can express of what it was sent; `nil` for a drive that plays the waveform.
  public let expressible: ExpressibleDrive?

  /// Makes a recording; all channels hold `frameCount` samples.
  public init(
    channels: [Channel], rate: SampleRate, frameCount: Int, driveFrameCount: Int,
    captureEvents: [StreamEvent] = [], driveEvents: [StreamEvent] = [],
    driveClock: [ClockReading] = [], captureClock: [ClockReading] = [], fault: DeviceError? = nil,
    statistics: StreamStatistics? = nil,
    expressible: ExpressibleDrive? = nil
  ) {
    self.channels = channels
    self.rate = rate
    self.frameCount = frameCount
    self.driveFrameCount = driveFrameCount
    self.captureEvents = captureEvents
    self.driveEvents = driveEvents
    self.driveClock = driveClock
    self.captureClock = captureClock
    self.fault = fault
    self.statistics = statistics
    self.expressible = expressible
    checkFrames()
  }

  private func checkFrames() {
    for channel in channels {
      precondition(
        channel.samples.count == frameCount,
        "channel \(channel.description.name) holds \(channel.samples.count) of \(frameCount) frames"
      )
    }
  }

  /// The recording with other channels, of as many frames, or other events of the capture.
  package func with(channels: [Channel]? = nil, captureEvents: [StreamEvent]? = nil) -> Recording {
    var recording = self
    recording.channels = channels ?? self.channels
    recording.captureEvents = captureEvents ?? self.captureEvents
    recording.checkFrames()
    return recording
  }

  /// The first channel of a role.
  public func channel(_ role: CaptureRole) -> Channel? {
    channels.first { $0.description.role == role }
  }

  /// Frames of the capture that hold no true sample: gaps and drops, in order.
  public var gaps: [Range<Int>] {
    captureEvents.filter { $0.kind == .overrun || $0.kind == .drop }.map(\.frames)
  }

  /// How many frames of the capture hold no true sample.
  public var lostFrames: Int { gaps.reduce(0) { $0 + $1.count } }
}
