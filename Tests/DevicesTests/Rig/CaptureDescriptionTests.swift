// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units

struct CaptureDescriptionTests {
  private func capture(_ axes: [String?]) -> CaptureDescription {
    let felt = axes.enumerated().map { place, axis in
      CaptureChannelDescription(
        name: "a\(place)", role: .acceleration, unit: .metrePerSecondSquared, input: place + 2,
        axis: axis)
    }
    let wire = CaptureChannelDescription(
      name: "wire", role: .reference, unit: .volt, input: 1, axis: "y")
    return CaptureDescription(kind: .alsa, channels: [wire] + felt)
  }

  @Test func `the axes are those of the accelerometers, by name where none is written`() {
    #expect(capture(["z", nil, "x"]).axes == "z a1 x")
    #expect(capture([]).axes == nil)
  }
}
