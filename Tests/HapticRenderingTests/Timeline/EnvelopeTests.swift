// SPDX-License-Identifier: Apache-2.0

import HapticRendering
import Testing

struct EnvelopeTests {
  @Test func `a sustained event rises, holds for its duration and then falls`() {
    let envelope = Envelope(
      attack: 0.2, decay: 9, release: 0.4, isSustained: true, duration: 1)
    #expect(envelope.gain(at: -0.01) == 0)
    #expect(envelope.gain(at: 0) == 0)
    #expect(abs(envelope.gain(at: 0.1) - 0.5) < 1e-12)
    #expect(envelope.gain(at: 0.2) == 1)
    #expect(envelope.gain(at: 0.999) == 1)
    #expect(abs(envelope.gain(at: 1.2) - 0.5) < 1e-12)
    #expect(envelope.gain(at: 1.4) == 0)
    #expect(abs(envelope.end - 1.4) < 1e-12)
  }

  @Test func `an event that is not sustained is over with its decay, whatever its duration`() {
    for duration in [0.05, 1, 30] {
      let envelope = Envelope(
        attack: 0.2, decay: 0.4, release: 9, isSustained: false, duration: duration)
      #expect(abs(envelope.gain(at: 0.1) - 0.5) < 1e-12)
      #expect(abs(envelope.gain(at: 0.2) - 1) < 1e-12)
      #expect(abs(envelope.gain(at: 0.4) - 0.5) < 1e-12)
      #expect(envelope.gain(at: 0.6001) == 0)
      #expect(abs(envelope.end - 0.6) < 1e-12)
    }
  }

  @Test func `an attack longer than the duration is released from where it got to`() {
    let envelope = Envelope(
      attack: 1, decay: 0, release: 0.5, isSustained: true, duration: 0.25)
    #expect(abs(envelope.gain(at: 0.2499) - 0.2499) < 1e-12)
    #expect(abs(envelope.gain(at: 0.25) - 0.25) < 1e-12)
    #expect(abs(envelope.gain(at: 0.5) - 0.125) < 1e-12)
    #expect(abs(envelope.end - 0.75) < 1e-12)
  }

  @Test func `without an attack or a release the gain is a block`() {
    let envelope = Envelope(attack: 0, decay: 0, release: 0, isSustained: true, duration: 0.5)
    #expect(envelope.gain(at: 0) == 1)
    #expect(envelope.gain(at: 0.4999) == 1)
    #expect(envelope.gain(at: 0.5) == 0)
  }

  @Test(arguments: [true, false])
  func `the gain has no jump and stays within 0 and 1`(isSustained: Bool) {
    for (attack, duration) in [(0.1, 0.5), (0.5, 0.1), (0.001, 0.001)] {
      let envelope = Envelope(
        attack: attack, decay: 0.3, release: 0.2, isSustained: isSustained, duration: duration)
      var last = 0.0
      for index in -10...12_000 {
        let gain = envelope.gain(at: Double(index) * 1e-4)
        #expect((0...1).contains(gain))
        #expect(abs(gain - last) <= 1e-4 / min(attack, 0.2) + 1e-9, "at \(index)")
        last = gain
      }
    }
  }
}
