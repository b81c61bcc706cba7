import CALSA
import Devices
import Glibc

extension PluginStream {
  /// The positions of the channels: sound has one, an actuator or a wire has none that ALSA knows.
  private var positions: [UInt32] {
    var positions = [UInt32](repeating: UInt32(SND_CHMAP_UNKNOWN.rawValue), count: channels)
    switch side {
    case .playback:
      for (role, channel) in card.setup.rig.drive.channels
      where positions.indices.contains(channel - 1) {
        positions[channel - 1] = Self.position(role)
      }
    case .capture:
      let sound = card.setup.rig.capture.channels.filter { $0.role == .audio }
      let sides = [SND_CHMAP_FL, SND_CHMAP_FR]
      for (index, channel) in sound.enumerated()
      where positions.indices.contains(channel.input - 1) {
        let place = sound.count == 2 ? sides[index] : SND_CHMAP_MONO
        positions[channel.input - 1] = UInt32(place.rawValue)
      }
    }
    return positions
  }

  private static func position(_ role: DriveRole) -> UInt32 {
    switch role {
    case .audio: UInt32(SND_CHMAP_MONO.rawValue)
    case .audioLeft: UInt32(SND_CHMAP_FL.rawValue)
    case .audioRight: UInt32(SND_CHMAP_FR.rawValue)
    case .haptic, .reference: UInt32(SND_CHMAP_UNKNOWN.rawValue)
    }
  }

  /// The one map there is, as libasound frees it.
  func channelMap() -> UnsafeMutablePointer<snd_pcm_chmap_t>? {
    Self.words([UInt32(channels)] + positions)?.assumingMemoryBound(to: snd_pcm_chmap_t.self)
  }

  /// The list of one map, as libasound frees it.
  func channelMaps() -> UnsafeMutablePointer<UnsafeMutablePointer<snd_pcm_chmap_query_t>?>? {
    let size = 2 * MemoryLayout<UnsafeMutableRawPointer?>.stride
    guard let list = malloc(size) else { return nil }
    let maps = list.bindMemory(
      to: UnsafeMutablePointer<snd_pcm_chmap_query_t>?.self, capacity: 2)
    maps[0] = Self.words([UInt32(SND_CHMAP_TYPE_FIXED.rawValue), UInt32(channels)] + positions)?
      .assumingMemoryBound(to: snd_pcm_chmap_query_t.self)
    maps[1] = nil
    return maps
  }

  /// Both kinds of map are words in a row: the type, the count, the positions.
  private static func words(_ words: [UInt32]) -> UnsafeMutableRawPointer? {
    guard let memory = malloc(words.count * 4) else { return nil }
    for (place, word) in words.enumerated() {
      memory.storeBytes(of: word, toByteOffset: 4 * place, as: UInt32.self)
    }
    return memory
  }
}
