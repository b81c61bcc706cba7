// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

/// Finds the set-up of a PCM that a rig can use, and makes it so.
struct Negotiator {
  let description: ALSADescription
  let rate: SampleRate
  /// The highest channel that the rig uses.
  let channels: Int
  /// The period that is asked for where the description does not insist on one.
  let periodFrames: Int
  let rig: String

  struct Outcome {
    var negotiation: Negotiation
    var isMapped: Bool
    var stampsRaw: Bool
    /// The card's number, or -1 for a PCM of no card.
    var card: Int
  }

  /// Sets a PCM up; what it refuses is an error that says what it offers.
  func agree(_ pcm: borrowing PCM) throws(DeviceError) -> Outcome {
    let isServed = pcm.isProgram && description.virtualCard == nil
    if pcm.isConverting || isServed, !description.isResamplingAllowed {
      throw refusal(
        pcm,
        "is of ALSA's kind \(pcm.kind), which \(isServed ? "may convert or mix" : "converts or mixes") "
          + "on the way, and that would be measured as the actuator's: name the card itself "
          + "('hw:CARD=...,DEV=0'), or write 'resample: true'")
    }
    guard let space = HardwareParameters(pcm) else {
      throw refusal(pcm, "offers no set-up at all: is another program changing it?")
    }
    space.allowResampling(description.isResamplingAllowed)
    let isMapped = try chooseAccess(space, pcm)
    let format = try chooseFormat(space, pcm)
    let range = space.channels
    guard let count = space.chooseChannels(atLeast: channels) else {
      throw refusal(
        pcm,
        "has \(range.words) channels for \(pcm.direction.word), and the rig file uses channel "
          + "\(channels): correct the channel, or name another card")
    }
    let (rates, rateRange) = (space.rates, space.rateRange)
    guard space.choose(rate: Int(rate.hertz)) else {
      let offered = rates.isEmpty ? rateRange.words : rates.map(String.init).joined(separator: ", ")
      throw refusal(
        pcm, "does not run at \(rate): it offers \(offered) Hz; write one of them as 'rate'")
    }
    try choosePeriod(space, pcm)
    let (code, text) = space.install()
    guard code >= 0 else {
      throw refusal(
        pcm, "refuses the set-up: \(text.isEmpty ? LibraryMessages.sentence(code) : text)", code)
    }
    let installed = space.installed
    guard installed.buffer >= 2 * installed.period else {
      throw refusal(
        pcm,
        "holds only \(installed.buffer) frames with a period of \(installed.period): two periods "
          + "are needed; write a shorter 'period'")
    }
    return try install(
      pcm, isMapped: isMapped, format: format, channels: count, installed)
  }

  private func install(
    _ pcm: borrowing PCM, isMapped: Bool, format: SampleFormat,
    channels: Int, _ installed: (channels: Int, rate: Double, period: Int, buffer: Int)
  ) throws(DeviceError) -> Outcome {
    let software = SoftwareParameters.install(
      pcm, periodFrames: installed.period, bufferFrames: installed.buffer)
    guard software.code >= 0 else {
      throw refusal(
        pcm,
        "refuses to start when told: "
          + (software.text.isEmpty ? LibraryMessages.sentence(software.code) : software.text),
        software.code)
    }
    let identity = pcm.identity
    let negotiation = Negotiation(
      direction: pcm.direction.word, pcm: pcm.name, cardName: identity.name,
      access: isMapped ? "mmap" : "rw", format: format, channelCount: installed.channels,
      rate: installed.rate, periodFrames: installed.period, bufferFrames: installed.buffer,
      isConverted: pcm.isConverting || (pcm.isProgram && description.virtualCard == nil),
      timestampClock: software.stampsRaw && !pcm.isProgram
        ? "monotonic raw" : "none that is usable",
      dump: pcm.dump)
    return Outcome(
      negotiation: negotiation, isMapped: isMapped, stampsRaw: software.stampsRaw && !pcm.isProgram,
      card: identity.card)
  }

  private func chooseAccess(
    _ space: borrowing HardwareParameters, _ pcm: borrowing PCM
  ) throws(DeviceError) -> Bool {
    let wish = description.access
    if wish != .rw, space.chooseAccess(mmap: true) { return true }
    if wish != .mmap, space.chooseAccess(mmap: false) { return false }
    throw refusal(
      pcm,
      wish == .mmap
        ? "does not share its memory: write 'access: auto'"
        : "does not take interleaved frames by calls: write 'access: auto'")
  }

  private func chooseFormat(
    _ space: borrowing HardwareParameters, _ pcm: borrowing PCM
  ) throws(DeviceError) -> SampleFormat {
    let formats = space.formats
    let wished = description.format.map { [$0] } ?? formats
    for format in wished where formats.contains(format) {
      if space.choose(format) { return format }
    }
    let offered =
      formats.isEmpty
      ? "none of FLOAT, S32, S24, S24_3, S16" : formats.map(\.rawValue).joined(separator: ", ")
    let asked = description.format.map { "of the format \($0.rawValue)" } ?? "as haprig has"
    throw refusal(pcm, "does not take samples \(asked): it offers \(offered)")
  }

  private func choosePeriod(
    _ space: borrowing HardwareParameters, _ pcm: borrowing PCM
  ) throws(DeviceError) {
    let wish = description
    let wanted = wish.periodFrames ?? periodFrames
    let offered = space.periods
    let period = space.choosePeriod(near: wanted)
    guard let period, wish.periodFrames == nil || period == wanted else {
      throw refusal(
        pcm,
        "does not have a period of \(wanted) frames at \(rate): it offers "
          + "\(offered.words)" + (period.map { ", the nearest is \($0)" } ?? "")
          + "; write that as 'period'")
    }
    let buffers = space.buffers
    guard space.chooseBuffer(near: wish.bufferFrames ?? 4 * period) != nil else {
      throw refusal(
        pcm,
        "does not hold \(wish.bufferFrames ?? 4 * period) frames: it offers \(buffers.words); "
          + "write that as 'buffer'")
    }
  }

  private func refusal(
    _ pcm: borrowing PCM, _ text: String, _ code: Int32? = nil
  ) -> DeviceError {
    DeviceError(
      .refused, device: rig, message: "'\(pcm.name)' \(text)", errno: code.map { -$0 })
  }
}

extension PCMOffer {
  /// Asks an open PCM what it can do; `nil` where it tells nothing.
  init?(_ pcm: borrowing PCM) {
    guard let space = HardwareParameters(pcm) else { return nil }
    space.allowResampling(false)
    self.init(
      formats: space.formats.map(\.rawValue), rates: space.rates, rateRange: space.rateRange,
      channels: space.channels, periods: space.periods, buffers: space.buffers,
      hasMmap: space.offersAccess(mmap: true), channelMaps: pcm.channelMaps)
  }
}

extension ClosedRange<Int> {
  /// `2`, or `2 to 8`.
  var words: String {
    lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
  }
}
