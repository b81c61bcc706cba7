// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Testing

struct ModalModelTests {
  private let mode = ModalModel.Mode(
    frequency: Estimate(170, uncertainty: 0.1), q: Estimate(9, uncertainty: 0.1),
    gain: Estimate(20, uncertainty: 0.2))

  @Test func `a mode is the filter of SciPy`() {
    // scipy.signal.freqs([g / Q, 0, 0], [1, w0 / Q, w0**2], [2 * pi * f]) with f0 170, Q 9, g 20
    let low = mode.response(at: 120)
    #expect((low - Complex(-2.1542540843646334, 0.3367569603144713)).magnitude < 1e-9)
    let high = mode.response(at: 300)
    #expect((high - Complex(3.24540713511523, 0.30099247843403665)).magnitude < 1e-9)
    #expect(abs(mode.response(at: 170).magnitude - 20) < 1e-9)
  }

  @Test func `modes add, and the delay turns them all`() {
    let other = ModalModel.Mode(
      frequency: Estimate(320, uncertainty: 0), q: Estimate(8, uncertainty: 0),
      gain: Estimate(-5, uncertainty: 0))
    let model = ModalModel(delay: Estimate(1e-3, uncertainty: 0), modes: [mode, other])
    let sum = mode.response(at: 250) + other.response(at: 250)
    // 250 Hz by 1 ms is a quarter turn back.
    #expect((model.response(at: 250) - sum * Complex(0, -1)).magnitude < 1e-9)
  }
}
