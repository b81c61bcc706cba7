public import Devices
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

  /// Opens the files that a description names.
  ///
  /// - Parameters:
  ///   - description: The rig.
  ///   - skip: The frame of the response at which the stimulus began; negative where the recording
  ///     began after it.
  /// - Throws: `DeviceError`, refused where the drive is of another kind, where neither file is
  ///   named, or where the response does not fit the rig; or why a file cannot be opened.
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

  /// A file has no clock.
  public func clockReading() -> ClockReading? { nil }

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
  /// The device's error for one of its sound file.
  static func of(_ error: SoundFileError, device: String) -> DeviceError {
    let code: Code =
      switch error.code {
      case .missing: .notFound
      case .notPermitted: .denied
      case .truncated, .damaged, .notSound, .empty: .garbled
      default: .refused
      }
    return DeviceError(code, device: device, message: error.description)
  }
}
