public import Devices
public import SoundFiles

/// A sound file of a run's folder as samples of its channels.
public struct RecordedSound {
  /// What the file says of itself.
  public let info: SoundFile.Info
  /// One list a channel, in the order of the file.
  public let channels: [Samples]

  /// Reads a file block by block.
  ///
  /// - Throws: `SoundFileError` where it cannot be read, or is more than the limit.
  public init(path: String, limit: SoundFile.Limit = .init()) throws(SoundFileError) {
    var writers: [SampleWriter] = []
    info = try SoundFile.scan(path: path, limit: limit) { block, width in
      if writers.isEmpty { writers = (0..<width).map { _ in SampleWriter() } }
      for (channel, writer) in writers.enumerated() {
        writer.append(channel: channel, of: width, in: block, frames: block.count / width)
      }
    }
    channels = writers.map { $0.finish() }
  }
}
