// SPDX-License-Identifier: Apache-2.0

package import Acceptance
package import Devices
package import SoundFiles

/// The channels of a kept recording as a record describes them: in their units, those that the file leaves out too.
package struct RecordedSound {
  /// Reads a file of a run's folder by its name.
  package typealias Reader = (
    _ file: String, _ channels: [RunRecord.FileChannel]
  ) throws -> RecordedSound

  package let info: SoundFile.Info
  package let channels: [Samples]

  /// Reads an open file, block by block; `name` stands for it in errors.
  ///
  /// Throws where the file is none that can be read, and where its channels are not those that are described.
  package init(
    descriptor: Int32, name: String, channels described: [RunRecord.FileChannel],
    limit: SoundFile.Limit = .recording
  ) throws {
    let written = described.indices.filter { !described[$0].isSilent }
    let writers = described.map { _ in SampleWriter() }
    info = try SoundFile.scan(descriptor: descriptor, name: name, limit: limit) { block, shape in
      let width = shape.channelCount
      guard width == written.count else { return }
      for channel in described.indices where described[channel].isSilent {
        writers[channel].append([Float](repeating: 0, count: block.count / width))
      }
      for (place, channel) in written.enumerated() {
        writers[channel].append(
          channel: place, of: width, in: block, frames: block.count / width,
          gain: described[channel].gain)
      }
    }
    guard info.channelCount == written.count else {
      let silent = described.count - written.count
      throw InputError(
        "\(name): the record names \(described.count) channels"
          + (silent > 0 ? ", \(silent) of them left out as all zero" : "")
          + ", and the file holds \(info.channelCount): was it replaced?")
    }
    channels = writers.map { $0.finish() }
  }
}
