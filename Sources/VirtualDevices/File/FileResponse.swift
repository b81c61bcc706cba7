import Devices
import SoundFiles
import Units

/// The recorded channels of a response, in the rig's order and in SI units.
///
/// Input i of the rig is channel i of the file. Where a channel has a full scale in volts, samples are
/// parts of it, and a sensor's sensitivity makes them SI; other channels hold SI units, which a sensor
/// file's factor may correct.
struct FileResponse: Sendable {
  /// Frames in the file.
  let frameCount: Int

  private let tracks: [(samples: [Float], factor: Float)]

  /// Reads a sound file at the rig's rate with all of the rig's inputs.
  init(path: String, _ rig: RigDescription) throws(DeviceError) {
    let sound: SoundFile
    do throws(SoundFileError) {
      sound = try SoundFile.read(path: path)
    } catch {
      throw .of(error, device: rig.name)
    }
    guard sound.info.rate == rig.drive.rate else {
      throw DeviceError(
        .refused, device: rig.name,
        message: "\(path): the response is at \(sound.info.rate) and the rig at \(rig.drive.rate): "
          + "record it at the rig's rate")
    }
    var tracks: [(samples: [Float], factor: Float)] = []
    for channel in rig.capture.channels {
      guard (1...sound.info.channelCount).contains(channel.input) else {
        throw DeviceError(
          .refused, device: rig.name,
          message:
            "\(path): the channel '\(channel.name)' is input \(channel.input), and the response "
            + "has \(sound.info.channelCount)")
      }
      let factor = (channel.fullScaleVolts ?? 1) / (channel.sensor?.sensitivity ?? 1)
      tracks.append((sound.channels[channel.input - 1].samples, Float(factor)))
    }
    self.tracks = tracks
    frameCount = sound.info.frameCount
  }

  /// Copies a range of frames, interleaved and in SI units.
  func copy(_ range: Range<Int>, into frames: inout MutableSpan<Float>) {
    for (place, track) in tracks.enumerated() {
      for frame in range {
        frames[(frame - range.lowerBound) * tracks.count + place] =
          track.samples[frame] * track.factor
      }
    }
  }
}
