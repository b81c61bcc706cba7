import CALSA
import Devices

extension PluginStream {
  /// Moves frames of the program's into the card.
  func decode(
    _ areas: UnsafePointer<snd_pcm_channel_area_t>, _ offset: Int, moved: Int, count: Int,
    _ state: inout CardState
  ) throws(StreamFailure) {
    let channels = channels
    try state.store(moved: moved, count: count) { done, room, count in
      for channel in 0..<channels {
        let (place, stride) = Self.place(areas[channel], offset + done)
        guard let place else { continue }
        format.decode(place, stride: stride, into: room + channel, step: channels, count: count)
      }
    }
  }

  /// Moves captured frames to the program.
  ///
  /// The same frames may be asked for again: libasound does so for every look at shared memory.
  func encode(
    _ areas: UnsafePointer<snd_pcm_channel_area_t>, _ offset: Int, moved: Int, count: Int,
    _ state: inout CardState
  ) throws(StreamFailure) {
    guard state.memory?.pointee.isUnplugged == false else { throw .unplugged }
    guard let physics = state.physics else { throw .refused }
    let channels = channels
    let end = min(moved + count, physics.captured)
    guard moved < end else { return }
    physics.forEachStretch(of: moved..<end) { done, samples, count in
      for channel in 0..<channels {
        let (place, stride) = Self.place(areas[channel], offset + done)
        guard let place else { continue }
        format.encode(
          samples + channel, step: channels, into: place, stride: stride, count: count)
      }
    }
  }

  /// Where a channel's sample of a frame lies, and how many bytes on the next one does.
  private static func place(
    _ area: snd_pcm_channel_area_t, _ frame: Int
  ) -> (UnsafeMutableRawPointer?, stride: Int) {
    let bits = Int(area.first) + frame * Int(area.step)
    return (area.addr.map { $0 + bits / 8 }, Int(area.step) / 8)
  }
}
