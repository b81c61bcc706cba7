// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
import Glibc

/// What a thread that only listens asks of its PCM; numbers below 0 are errors.
protocol HeardPCM: ~Copyable {
  /// Makes it ready anew and starts it.
  mutating func begin() -> Int32
  /// Waits for frames: 0 where none came in time.
  mutating func wait(milliseconds: Int32) -> Int32
  /// Reads what is there, at most `frames`, one mixed sample a frame.
  mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int
  /// How many frames wait after a read, those on their way from the converter included.
  mutating func delay() -> Int
}

/// A PCM that is only captured.
struct CapturePCM: ~Copyable, HeardPCM {
  private let pcm: PCM
  private let format: SampleFormat
  private let channels: Int
  private let stage: ByteBlock
  private let block: SampleBlock
  private let inputs: IndexBlock
  private let capacity: Int

  init(_ pcm: consuming PCM, _ negotiation: Negotiation) {
    self.pcm = pcm
    format = negotiation.format
    channels = negotiation.channelCount
    capacity = negotiation.bufferFrames
    stage = ByteBlock(byteCount: capacity * channels * 4)
    block = SampleBlock(capacity: capacity * channels)
    inputs = IndexBlock(Array(0..<channels))
  }

  mutating func begin() -> Int32 {
    let code = snd_pcm_prepare(pcm.handle)
    return code < 0 ? code : snd_pcm_start(pcm.handle)
  }

  mutating func wait(milliseconds: Int32) -> Int32 { snd_pcm_wait(pcm.handle, milliseconds) }

  mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let available = snd_pcm_avail(pcm.handle)
    guard available >= 0 else { return available }
    let wanted = min(frames, available, capacity)
    guard wanted > 0 else { return 0 }
    let count = snd_pcm_readi(pcm.handle, stage.bytes, snd_pcm_uframes_t(wanted))
    guard count > 0 else { return count == -Int(EAGAIN) ? 0 : count }
    format.decode(
      stage.bytes, frames: count, channels: channels, into: block.samples, inputs: inputs.indices,
      width: channels)
    let share = 1 / Float(channels)
    for frame in 0..<count {
      var sum: Float = 0
      for channel in 0..<channels { sum += block.samples[frame * channels + channel] }
      samples[frame] = sum * share
    }
    return count
  }

  mutating func delay() -> Int {
    var frames = snd_pcm_sframes_t(0)
    return snd_pcm_delay(pcm.handle, &frames) < 0 ? 0 : max(0, frames)
  }
}
