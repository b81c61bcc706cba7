// SPDX-License-Identifier: Apache-2.0

public import Devices
private import Glibc
import SoundFiles
import Synchronization
import Units

/// A rig that is not on line: its drive goes to a sound file, its response comes from one.
///
/// First a run writes the stimulus; it is played and recorded elsewhere; then the same run reads the
/// response, with the same drive frames, which need not be written again.
public final class FileRig: Sendable {
  /// The drive; it counts frames, and writes them where the description names a stimulus.
  public let drive: FileDrive
  /// The sensors, where the description names a response.
  public let sensors: FileSensors?

  /// Opens the files that a description names; one that names none, or does not fit them, is refused.
  ///
  /// `skip` is the response's frame at which the stimulus began, negative where the recording began after it.
  public init(_ description: RigDescription, skip: Int = 0) throws(DeviceError) {
    guard case .file(let file) = description.drive.device else {
      throw description.error(
        .refused, "the drive is of kind \(description.drive.device.kind.rawValue), not file")
    }
    guard file.stimulus != nil || file.response != nil else {
      throw description.error(
        .refused,
        "no file is named: give --stimulus FILE.wav to write the drive to, or --response "
          + "FILE.wav to read what was recorded of it")
    }
    // The response first: nothing is written where it does not fit.
    let response = try file.response.map { path throws(DeviceError) in
      try FileResponse(path: path, description)
    }
    let drive = try FileDrive(description, stimulus: file.stimulus)
    self.drive = drive
    sensors = response.map { FileSensors($0, description, skip: skip, drive: drive) }
  }
}

/// A drive that is kept in a sound file, for a rig that is played later.
///
/// All takes stand one after the other, one channel for each of the drive's, as float32 WAV at full
/// scale 1. The file appears when `finish` is called; without it nothing is left behind.
public final class FileDrive: DriveOutput {
  /// The format that `write` expects.
  public let format: StreamFormat

  private let device: String
  private let roles: [DriveRole?]
  private let state: Mutex<State>

  struct Progress: Sendable {
    /// The number of this take, counted from 1; 0 before the first.
    var take = 0
    var frameOffset = 0
    var sentFrames = 0
    var isStarted = false
  }

  private struct State: ~Copyable {
    var writer: SoundFileWriter?
    var progress = Progress()
    var isSilent = false
    var events = EventLog()
  }

  init(_ description: RigDescription, stimulus: String?) throws(DeviceError) {
    device = description.name
    let format = description.drive.format
    self.format = format
    roles = description.drive.roles
    var writer: SoundFileWriter?
    if let stimulus {
      do throws(SoundFileError) {
        writer = try SoundFileWriter(
          path: stimulus, channels: format.channelCount, rate: format.rate)
      } catch {
        throw .of(error, device: description.name)
      }
    }
    state = Mutex(State(writer: writer))
  }

  /// Begins a take behind the last one.
  public func start() throws(DeviceError) {
    state.withLock { state in
      state.progress = Progress(
        take: state.progress.take + 1,
        frameOffset: state.progress.frameOffset + state.progress.sentFrames, isStarted: true)
      state.isSilent = false
      state.events = EventLog()
    }
  }

  /// Appends frames to the stimulus and returns their count: all of them.
  public func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let stride = format.channelCount
    let count = format.frameCount(ofSamples: frames.count)
    try state.withLock { (state) throws(DeviceError) in
      guard state.progress.isStarted else {
        throw .notStarted(device, "write")
      }
      var samples = [Float](repeating: 0, count: frames.count)
      if !state.isSilent {
        for place in 0..<frames.count {
          let frame = state.progress.sentFrames + place / stride
          samples[place] = state.events.limited(
            frames[place], at: frame, of: roles[place % stride], format)
        }
      }
      do throws(SoundFileError) {
        try state.writer?.write(samples)
      } catch {
        throw .of(error, device: device)
      }
      state.progress.sentFrames += count
    }
    return count
  }

  /// Writes zeros until the next start.
  public func silence() { state.withLock { $0.isSilent = true } }

  /// Ends the take; the file stays open for the next.
  public func stop() throws(DeviceError) { state.withLock { $0.progress.isStarted = false } }

  /// Takes the overloads since the last call.
  public func takeEvents() -> [StreamEvent] { state.withLock { $0.events.take() } }

  /// Looks at the overloads since they were taken last.
  public func seenEvents() -> [StreamEvent] { state.withLock { $0.events.events } }

  /// Writes the stimulus to its end and gives it its name; later takes are counted and not written.
  public func finish() throws(DeviceError) {
    try state.withLock { (state) throws(DeviceError) in
      guard let writer = state.writer.take() else { return }
      do throws(SoundFileError) {
        try writer.close()
      } catch {
        throw .of(error, device: device)
      }
    }
  }

  var progress: Progress { state.withLock { $0.progress } }
}

extension DeviceError {
  static func of(_ error: SoundFileError, device: String) -> DeviceError {
    let code: Code =
      switch error.code {
      case .missing: .notFound
      case .notPermitted: .denied
      case .truncated, .damaged, .notSound, .empty: .garbled
      default: .refused
      }
    return DeviceError(
      code, device: device, message: error.description,
      errno: error.code == .noRoom ? ENOSPC : nil)
  }
}

/// Sensors whose response was recorded elsewhere and is read from a sound file.
///
/// Takes follow one another in the response as they did in the stimulus. As with every device on the
/// drive's clock, `read` returns 0 when the drive has to go on first. Nothing is made up: reading past
/// either end of the response is an error.
public final class FileSensors: SensorInput {
  /// The format that `read` delivers.
  public let format: StreamFormat
  /// The channels in the order of the rig file.
  public let channels: [CaptureChannel]

  private let device: String
  private let response: FileResponse
  private let skip: Int
  private let drive: FileDrive
  private let state = Mutex(State())

  private struct State: Sendable {
    var readFrames = 0
    var isStarted = false
    /// The drive's take that this one belongs to; it may not have begun.
    var take = 0
  }

  init(_ response: FileResponse, _ description: RigDescription, skip: Int, drive: FileDrive) {
    self.response = response
    self.skip = skip
    self.drive = drive
    device = description.name
    channels = description.capture.channels.map(\.port)
    format = description.captureFormat
  }

  /// Begins a take where the last one ended in the response.
  public func start() throws(DeviceError) {
    let begun = drive.progress.take
    state.withLock { $0 = State(isStarted: true, take: max($0.take + 1, begun)) }
  }

  /// Delivers frames of the response, as many as the drive has sent.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let room = format.frameCount(ofSamples: frames.count)
    let progress = drive.progress
    return try state.withLock { (state) throws(DeviceError) in
      guard state.isStarted else {
        throw .notStarted(device, "read")
      }
      guard progress.take == state.take else { return 0 }
      let wanted = min(room, progress.sentFrames - state.readFrames)
      guard wanted > 0 else { return 0 }
      let first = skip + progress.frameOffset + state.readFrames
      guard first >= 0, first < response.frameCount else { throw outside(first, progress) }
      let count = min(wanted, response.frameCount - first)
      response.copy(first..<(first + count), into: &frames)
      state.readFrames += count
      return count
    }
  }

  /// Ends the take.
  public func stop() throws(DeviceError) { state.withLock { $0.isStarted = false } }

  private func outside(_ frame: Int, _ progress: FileDrive.Progress) -> DeviceError {
    func seconds(_ frames: Int) -> String {
      "\(EngineeringFormat.significant(format.rate.seconds(Double(frames)))) s"
    }
    if frame < 0 {
      return DeviceError(
        .ended, device: device,
        message: "the response begins \(seconds(-frame)) after the stimulus: start the recording "
          + "before the stimulus is played")
    }
    let missing = skip + progress.frameOffset + progress.sentFrames - response.frameCount
    return DeviceError(
      .ended, device: device,
      message: "the response ends at \(seconds(response.frameCount - skip)), "
        + "\(progress.isStarted ? "at least " : "")\(seconds(missing)) before the stimulus: record "
        + "until the stimulus has been played to its end")
  }
}

/// The recorded channels of a response, in the rig's order and in SI units.
///
/// Input i of the rig is channel i of the file. Where a channel has a full scale in volts, samples are
/// parts of it, and a sensor's sensitivity makes them SI; other channels hold SI units, which a sensor
/// file's factor may correct.
struct FileResponse: Sendable {
  let frameCount: Int

  private let tracks: [(samples: [Float], factor: Float)]

  init(path: String, _ rig: RigDescription) throws(DeviceError) {
    let sound: SoundFile
    do throws(SoundFileError) {
      sound = try SoundFile.read(path: path)
    } catch {
      throw .of(error, device: rig.name)
    }
    guard sound.info.rate == rig.drive.rate else {
      throw rig.error(
        .refused,
        "\(path): the response is at \(sound.info.rate) and the rig at \(rig.drive.rate): "
          + "record it at the rig's rate")
    }
    var tracks: [(samples: [Float], factor: Float)] = []
    for channel in rig.capture.channels {
      guard (1...sound.info.channelCount).contains(channel.input) else {
        throw rig.error(
          .refused,
          "\(path): the channel '\(channel.name)' is input \(channel.input), and the response "
            + "has \(sound.info.channelCount)")
      }
      tracks.append((sound.channels[channel.input - 1].samples, Float(channel.scale)))
    }
    self.tracks = tracks
    frameCount = sound.info.frameCount
  }

  func copy(_ range: Range<Int>, into frames: inout MutableSpan<Float>) {
    for (place, track) in tracks.enumerated() {
      for frame in range {
        frames[(frame - range.lowerBound) * tracks.count + place] =
          track.samples[frame] * track.factor
      }
    }
  }
}
