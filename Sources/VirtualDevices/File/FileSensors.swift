public import Devices
import SoundFiles
import Synchronization
import Units

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
    format = StreamFormat(
      rate: description.drive.rate, channelCount: channels.count,
      periodFrames: description.drive.periodFrames)
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

  /// A file tells of nothing but frames.
  public func takeEvents() -> [StreamEvent] { [] }

  /// A file has no clock.
  public func clockReading() -> ClockReading? { nil }

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
      let factor = (channel.fullScaleVolts ?? 1) / (channel.sensor?.sensitivity ?? 1)
      tracks.append((sound.channels[channel.input - 1].samples, Float(factor)))
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
