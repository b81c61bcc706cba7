// SPDX-License-Identifier: Apache-2.0

import CALSA

/// Playback and capture of one card, served by one thread as an engine would.
final class CardDuplex {
  let playback: CardPCM
  let capture: CardPCM
  let period: Int
  let periods: Int

  init(
    _ folder: CardFolder, _ keys: String = "", period: Int = 64, periods: Int = 4
  ) throws {
    self.period = period
    self.periods = periods
    playback = try CardPCM(SND_PCM_STREAM_PLAYBACK, folder, keys)
    capture = try CardPCM(SND_PCM_STREAM_CAPTURE, folder, keys)
  }

  /// Negotiates the same format for both.
  func setUp(format: snd_pcm_format_t = SND_PCM_FORMAT_FLOAT_LE) throws {
    try playback.setUp(format: format, period: period, periods: UInt32(periods))
    try capture.setUp(format: format, period: period, periods: UInt32(periods))
  }

  /// Plays interleaved frames of two channels and gives as many captured ones back.
  ///
  /// The buffer is filled before the start; both sides then move a period at a time. The frames
  /// fill whole periods, and the buffer at least.
  func run<Sample>(_ drive: [Sample], zero: Sample) throws -> [Sample] {
    let frames = drive.count / 2
    var sent = period * periods
    try playback.write(drive[..<(2 * sent)])
    try playback.start()
    try capture.start()
    var response: [Sample] = []
    while response.count < 2 * frames {
      response += try capture.read(period, of: zero)
      guard response.count < 2 * frames else { break }
      if sent < frames {
        try playback.write(drive[(2 * sent)..<(2 * (sent + period))])
        sent += period
      } else {
        try playback.write(ArraySlice(repeating: zero, count: 2 * period))
      }
    }
    return response
  }

  /// Stops both.
  func drop() {
    snd_pcm_drop(playback.handle)
    snd_pcm_drop(capture.handle)
  }
}

extension [Float] {
  /// Every second sample: the reference channel of the wire rig.
  var reference: [Float] { stride(from: 1, to: count, by: 2).map { self[$0] } }
}
