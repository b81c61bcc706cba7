// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Testing

@testable import Composing

/// What a render thread will run.
struct LiveTests {
  @Test(arguments: ComposeMethod.allCases, [44_100.0, 48_000])
  func `a method knows in time what it hears`(method: ComposeMethod, rate: Double) {
    let ear = Ear(for: [method], timing: .live, reference: -20, rate: rate)
    let hearing = ear.hearing
    let hop = Double(hearing.hopLength) / rate
    let chain = MethodChain(
      ComposeSettings(method), timing: .live, reference: -20,
      spectrumDelay: hearing.spectrumDelay, hop: hop)
    // A frame of spectra is read each second hop, so a moment waits for up to two hops more.
    let wait = chain.needsSpectrum ? 2 * hop : 0
    let delays = [chain.layerDelay, chain.onsetDelay].compactMap { $0 }
    #expect(delays.allSatisfy { $0 + wait <= 0.020 })
    if method == .envelope { #expect(delays.allSatisfy { $0 <= 0.0051 }) }
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `hops, layers and rises ask for no memory`() {
    let samples = (0..<120).map { Float($0 % 7) / 7 - 0.5 }
    var analyzer = HopAnalyzer(rate: 48_000)
    let hop = 0.0025
    var envelope = EnvelopeLayer(ComposeSettings(.envelope), reference: -20, hop: hop)
    var bands = BandLayer(ComposeSettings(.bands), reference: -20, hop: hop)
    var rise = OctaveRise(ComposeSettings(.envelope), reference: -20, hop: hop)
    var count = 0
    allocationCounterStart()
    for _ in 0..<1_000 {
      let heard = analyzer.analyze(samples.span)
      if envelope.value(for: heard).level > -60 { count += 1 }
      if bands.value(for: heard).level > -60 { count += 1 }
      if rise.isOnset(heard) { count += 1 }
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(count > 1_000)
  }
}
