// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units

@testable import ALSADevices

/// Set-ups agreed with libasound itself, over PCMs that need no card.
struct NegotiatorTests {
  private func agree(
    _ name: String, _ card: ALSADescription? = nil, channels: Int = 1, rate: Double = 48_000,
    configuration: String? = nil
  ) throws -> Negotiation {
    let pcm = try PCM(
      name, .playback, configuration: configuration.map { PCMConfiguration(text: $0, pcm: name) })
    return try Negotiator(
      description: card ?? ALSADescription(pcm: name), rate: SampleRate(hertz: rate),
      channels: channels, periodFrames: 256, rig: "bench"
    ).agree(pcm).negotiation
  }

  /// A PCM of two channels exactly, over ALSA's `null`.
  private static let pair = """
    pcm.pair { type multi slaves.a { pcm { type null } channels 2 } \
    bindings.0 { slave a channel 0 } bindings.1 { slave a channel 1 } }
    """
  /// A PCM that converts on the way.
  private static let converting = """
    pcm.converting { type linear slave { pcm { type null } format S16_LE } }
    """

  @Test func `a PCM that takes everything gets the widest format and four periods`() throws {
    let agreed = try agree("null", channels: 3)
    #expect(agreed.format == .float)
    #expect(agreed.channelCount == 3)
    #expect(agreed.rate == 48_000)
    #expect(agreed.periodFrames == 256)
    #expect(agreed.bufferFrames == 1024)
    #expect(agreed.direction == "playback")
    #expect(!agreed.isConverted)
    #expect(agreed.dump.contains("period_size"))
  }

  @Test(arguments: SampleFormat.allCases, [ALSADescription.Access.mmap, .rw])
  func `a format and a way of access are had as written`(
    format: SampleFormat, access: ALSADescription.Access
  ) throws {
    let agreed = try agree("null", ALSADescription(pcm: "null", format: format, access: access))
    #expect(agreed.format == format)
    #expect(agreed.access == access.rawValue)
  }

  @Test(arguments: [8000.0, 44_100, 96_000, 192_000])
  func `a rate is had exactly`(rate: Double) throws {
    #expect(try agree("null", rate: rate).rate == rate)
  }

  @Test func `periods and buffers are had as written`() throws {
    let agreed = try agree(
      "null", ALSADescription(pcm: "null", periodFrames: 64, bufferFrames: 192))
    #expect(agreed.periodFrames == 64)
    #expect(agreed.bufferFrames == 192)
  }

  @Test func `more channels than there are is an error with what is offered`() throws {
    let error = #expect(throws: DeviceError.self) {
      try agree("pair", channels: 3, configuration: Self.pair)
    }
    #expect(error?.code == .refused)
    #expect(
      error?.message.contains(
        "'pair' has 2 channels for playback, and the rig file uses channel 3") == true)
  }

  @Test func `fewer channels than there are leave the others alone`() throws {
    #expect(try agree("pair", channels: 1, configuration: Self.pair).channelCount == 2)
  }

  @Test func `a PCM that converts is refused unless the rig file says so`() throws {
    let error = #expect(throws: DeviceError.self) {
      try agree("converting", configuration: Self.converting)
    }
    #expect(error?.message.contains("is of ALSA's kind LINEAR, which converts or mixes") == true)
    let allowed = ALSADescription(pcm: "converting", isResamplingAllowed: true)
    #expect(try agree("converting", allowed, configuration: Self.converting).isConverted)
  }

  @Test func `a format that is not there is an error with those that are`() throws {
    let card = ALSADescription(pcm: "converting", format: .float, isResamplingAllowed: true)
    let error = #expect(throws: DeviceError.self) {
      try agree("converting", card, configuration: Self.converting)
    }
    #expect(
      error?.message.contains("samples of the format FLOAT: it offers S32, S24, S24_3, S16") == true
    )
  }

  @Test func `an unknown PCM is an error with the library's own words, and prints nothing`() {
    let error = #expect(throws: OpeningFault.self) {
      _ = try PCM("nosuchpcm", .playback)
    }
    #expect(error?.code == -2)
    #expect(error?.text.contains("nosuchpcm") == true)
  }

  @Test func `what a PCM offers can be asked`() throws {
    let configuration = PCMConfiguration(text: Self.pair, pcm: "pair")
    let offer = try #require(
      PCMOffer(try PCM("pair", .playback, configuration: configuration)))
    #expect(offer.channels == 2...2)
    #expect(offer.formats.contains("S16"))
    #expect(offer.rates.contains(48_000))
    #expect(offer.hasMmap == false)
  }
}
