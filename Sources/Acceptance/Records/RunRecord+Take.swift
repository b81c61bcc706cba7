public import Devices

extension RunRecord {
  /// One repeat of a pattern: its files and what kept events from being measured.
  public struct Take: Sendable, Equatable {
    /// The repeat, from 1.
    public var number: Int
    /// Its place among all takes of the run as they were played, from 1.
    public var place: Int?
    /// The opening of the devices that it was played in, from 1.
    public var opening: Int?
    /// The drive as sent, a file in the run's folder, with its channels.
    public var drive: String?
    /// The channels of the drive's file.
    public var driveChannels: [FileChannel]
    /// The response as captured, a file in the run's folder.
    public var response: String?
    /// The channels of the response's file.
    public var responseChannels: [FileChannel]
    /// The drive frame at which the pattern's time is 0.
    public var patternFrame: Int
    /// The drive frames at which the markers before and after begin; `nil` without a reference.
    public var markers: [Int]?
    /// The events that were not measured.
    public var rejected: [Rejection]
    /// How the devices' stream went; `nil` where they kept no account of it.
    public var stream: StreamStatistics?
    /// What the devices told that stands in no sound file; `nil` in a record of a version that did not keep it.
    public var device: TakeDevice?

    /// Makes an account of a take.
    public init(
      number: Int, drive: String?, driveChannels: [FileChannel], response: String?,
      responseChannels: [FileChannel], patternFrame: Int, rejected: [Rejection],
      stream: StreamStatistics? = nil, place: Int? = nil, opening: Int? = nil,
      markers: [Int]? = nil, device: TakeDevice? = nil
    ) {
      self.device = device
      self.number = number
      self.place = place
      self.opening = opening
      self.markers = markers
      self.drive = drive
      self.driveChannels = driveChannels
      self.response = response
      self.responseChannels = responseChannels
      self.patternFrame = patternFrame
      self.rejected = rejected
      self.stream = stream
    }
  }

  /// An event that was not measured.
  public struct Rejection: Sendable, Hashable {
    /// The event's index in its pattern.
    public var event: Int
    /// Why not.
    public var reason: String

    /// Makes a rejection.
    public init(event: Int, reason: String) {
      self.event = event
      self.reason = reason
    }
  }

  /// What the devices told of a take that stands in no sound file: losses, clipping, counts of frames.
  public struct TakeDevice: Sendable, Hashable {
    /// How many frames were captured.
    public var frames: Int
    /// How many drive frames were sent in the same time.
    public var driveFrames: Int
    /// Gaps, drops and overloads of the capture, in capture frames.
    public var captureEvents: [StreamEvent]
    /// Underruns and clipping of the drive, in drive frames.
    public var driveEvents: [StreamEvent]
    /// What the drive can express of what it was sent; `nil` for a drive that plays the waveform.
    public var expressible: ExpressibleDrive?
    /// The fault that ended the take early, in a sentence; `nil` where none did.
    public var fault: String?

    /// Makes an account of the devices.
    public init(
      frames: Int, driveFrames: Int, captureEvents: [StreamEvent] = [],
      driveEvents: [StreamEvent] = [], expressible: ExpressibleDrive? = nil, fault: String? = nil
    ) {
      self.frames = frames
      self.driveFrames = driveFrames
      self.captureEvents = captureEvents
      self.driveEvents = driveEvents
      self.expressible = expressible
      self.fault = fault
    }
  }
}
