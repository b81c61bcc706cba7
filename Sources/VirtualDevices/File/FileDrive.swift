public import Devices
import SoundFiles
import Synchronization
import Units

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

  /// How far a drive has come.
  struct Progress: Sendable {
    /// The number of this take, counted from 1; 0 before the first.
    var take = 0
    /// Frames of the takes before this one.
    var frameOffset = 0
    /// Frames of this take.
    var sentFrames = 0
    /// True between start and stop.
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
    roles = (1...format.channelCount).map { channel in
      DriveRole.allCases.first { description.drive.channels[$0] == channel }
    }
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
        throw DeviceError(.refused, device: device, message: "write was called before start")
      }
      var samples = [Float](repeating: 0, count: frames.count)
      if !state.isSilent {
        for place in 0..<frames.count {
          let frame = state.progress.sentFrames + place / stride
          samples[place] = limited(frames[place], place % stride, frame, &state.events)
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

  /// How far the drive has come.
  var progress: Progress { state.withLock { $0.progress } }

  private func limited(
    _ value: Float, _ channel: Int, _ frame: Int, _ events: inout EventLog
  ) -> Float {
    guard !(abs(value) <= 1) else { return value }
    events.note(
      .overload, frame..<(frame + 1), channel: roles[channel]?.rawValue,
      gap: Int(0.01 * format.rate.hertz))
    return value.isNaN ? 0 : value > 0 ? 1 : -1
  }
}
