// SPDX-License-Identifier: Apache-2.0

import Glibc
import HapticRendering
import Testing

struct EnvelopeLawTests {
  @Test func `a value grows exponentially between both ends`() {
    let law = EnvelopeLaw.standard
    #expect(law.seconds(0) == 1e-3)
    #expect(abs(law.seconds(0.5) - 0.0316227766) < 1e-9)
    #expect(abs(law.seconds(1) - 1) < 1e-12)
    let other = EnvelopeLaw(shortest: 2e-3, longest: 0.5)
    #expect(abs(other.seconds(0.25) / other.seconds(0) - pow(250, 0.25)) < 1e-12)
  }

  @Test func `values beyond 0 and 1 are moved to the nearer end`() {
    #expect(EnvelopeLaw.standard.seconds(-3) == EnvelopeLaw.standard.seconds(0))
    #expect(EnvelopeLaw.standard.seconds(7) == EnvelopeLaw.standard.seconds(1))
  }

  @Test func `the name tells both ends`() {
    #expect(EnvelopeLaw.standard.name == "exponential 0.001 s to 1.0 s")
  }

  @Test(arguments: [(0, 1), (-1, 1), (2, 1.0)])
  func `a law that does not rise is a programmer's error`(shortest: Double, longest: Double) async {
    await #expect(processExitsWith: .failure) { [shortest, longest] in
      _ = EnvelopeLaw(shortest: shortest, longest: longest)
    }
  }
}

struct TransientShapeTests {
  @Test func `the standard tap lasts 22 ms and says so`() {
    #expect(TransientShape.standard.length == 22e-3)
    #expect(TransientShape.standard.name == "half-hann 0.022 s")
  }

  @Test func `its weight falls from 1 to 0 as half a raised cosine`() {
    let shape = TransientShape(length: 0.1)
    #expect(shape.weight(at: 0) == 1)
    #expect(abs(shape.weight(at: 0.05) - 0.5) < 1e-12)
    #expect(abs(shape.weight(at: 0.025) - 0.8535533905932737) < 1e-12)
    #expect(shape.weight(at: 0.1) == 0)
    #expect(shape.weight(at: -1e-9) == 0)
  }

  @Test func `a tap without a length is a programmer's error`() async {
    await #expect(processExitsWith: .failure) { _ = TransientShape(length: 0) }
  }
}

struct RenderConfigurationTests {
  @Test func `a record gets the name of every law that shapes the drive`() {
    #expect(
      RenderConfiguration().lawNames == [
        "sharpness": "log80-230", "intensity": "square",
        "envelope": "exponential 0.001 s to 1.0 s", "transient": "half-hann 0.022 s",
        "mixing": "soft limit 1.0 to 1.5", "waveform": "tone", "tone": "220.0 Hz",
        "sharpnessControlOnTransients": "no",
      ])
  }
}
