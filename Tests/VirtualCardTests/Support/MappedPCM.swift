// SPDX-License-Identifier: Apache-2.0

import CALSA

/// A PCM of two float channels whose memory the program shares.
final class MappedPCM {
  let pcm: CardPCM

  init(_ stream: snd_pcm_stream_t, _ folder: CardFolder, _ access: snd_pcm_access_t) throws {
    pcm = try CardPCM(stream, folder)
    try pcm.setUp(access: access)
  }

  /// Visits so many frames in the shared memory, each with the places of its samples.
  func move(
    _ count: Int, _ body: (_ frame: Int, _ sample: (Int) -> UnsafeMutablePointer<Float>) -> Void
  ) throws {
    var done = 0
    while done < count {
      let available = snd_pcm_avail_update(pcm.handle)
      guard available > 0 else {
        guard available == 0, snd_pcm_wait(pcm.handle, 1000) > 0 else {
          throw CardPCM.Failure(call: "avail_update", code: available)
        }
        continue
      }
      var areas: UnsafePointer<snd_pcm_channel_area_t>?
      var (offset, frames) = (UInt(0), UInt(count - done))
      try pcm.check("mmap_begin", snd_pcm_mmap_begin(pcm.handle, &areas, &offset, &frames))
      guard let areas, frames > 0 else { continue }
      for frame in 0..<Int(frames) {
        body(done + frame) { channel in
          let bits = Int(areas[channel].first) + (Int(offset) + frame) * Int(areas[channel].step)
          return (areas[channel].addr + bits / 8).assumingMemoryBound(to: Float.self)
        }
      }
      let moved = snd_pcm_mmap_commit(pcm.handle, offset, frames)
      guard moved > 0 else { throw CardPCM.Failure(call: "mmap_commit", code: moved) }
      done += moved
    }
  }
}
