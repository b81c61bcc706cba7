// SPDX-License-Identifier: Apache-2.0

import Profiles
import Reporting
import Testing

@Suite struct FleetPictureTests {
  private func fleet() throws -> [CalibrationProfile] {
    [
      try SampleCalibration.lra(), try SampleCalibration.lra(id: "lra-2 & <co>", scale: 0.4),
      SampleCalibration.erm(),
    ]
  }

  @Test func `a sample picture can be looked at`() throws {
    let picture = FleetPicture.svg(of: try fleet())
    Attachment.record(picture, named: "fleet.svg")
    #expect(picture.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
  }

  @Test func `the picture is balanced, and names every actuator once in its legend`() throws {
    let elements = try Element.all(in: FleetPicture.svg(of: try fleet()))
    let words = elements.filter { $0.name == "text" }.map(\.text)
    for name in ["lra-1", "lra-2 &amp; &lt;co&gt;", "erm-1"] {
      #expect(words.count { $0 == name } == 1)
    }
  }

  @Test func `actuators differ in dash as well as in colour`() throws {
    let elements = try Element.all(in: FleetPicture.svg(of: try fleet()))
    let curves = Set(
      elements.filter { $0.name == "path" }.compactMap { $0.attributes["class"] }
        .filter { $0.hasPrefix("curve") && $0.contains("hue") })
    #expect(curves == ["curve solid hue-0", "curve dashed hue-1", "curve dotted hue-2"])
  }

  @Test func `a fleet of none and one without measurements are pictures too`() throws {
    for profiles in [[], [try SampleCalibration.lra(isVerified: false)]] {
      let picture = FleetPicture.svg(of: profiles)
      _ = try Element.all(in: picture)
      #expect(!picture.lowercased().contains("nan"))
    }
  }

  @Test func `equal fleets give equal bytes`() throws {
    #expect(FleetPicture.svg(of: try fleet()) == FleetPicture.svg(of: try fleet()))
  }
}
