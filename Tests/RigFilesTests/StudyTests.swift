// SPDX-License-Identifier: Apache-2.0

import Acceptance
import GaugeStudy
import RigFiles
import Testing

struct StudyTests {
  private static let text = """
    name: lra-gauge
    plan: ../plans/smoke.yaml
    actuators: [lra-1, lra-2]
    rigs: [bench-1, bench 2]
    days: 2
    mounts: 3
    repeats: 4
    seed: 9
    readings:
      - latency.transport
      - {reading: response.rms, pattern: steps, tolerance: 0.1 g}
    """

  private func study(_ replacing: String = "", with text: String = "") throws -> Study {
    let whole = replacing.isEmpty ? Self.text : Self.text.replacing(replacing, with: text)
    return try Study(yaml: Array(whole.utf8), file: "study.yaml")
  }

  @Test func `every key of a study is read`() throws {
    #expect(
      try study()
        == Study(
          name: "lra-gauge", plan: "../plans/smoke.yaml", actuators: ["lra-1", "lra-2"],
          rigs: ["bench-1", "bench 2"], days: 2, mounts: 3, repeats: 4, seed: 9,
          readings: [
            .init(ReadingName(.latencyTransport)),
            .init(ReadingName(.responseRMS), pattern: "steps", tolerance: 0.980665),
          ]))
  }

  @Test func `the order of mounts is drawn from the seed, another for each rig and day`() throws {
    let study = try study()
    let orders = study.rigs.flatMap { rig in [1, 2].map { study.order(rig: rig, day: $0) } }
    for order in orders {
      #expect(order.sorted() == ["lra-1", "lra-1", "lra-1", "lra-2", "lra-2", "lra-2"])
    }
    #expect(Set(orders).count > 1)
    #expect(
      study.order(rig: "bench-1", day: 1) == ["lra-2", "lra-1", "lra-1", "lra-1", "lra-2", "lra-2"])
    var other = study
    other.seed = 10
    #expect(other.order(rig: "bench-1", day: 1) != study.order(rig: "bench-1", day: 1))
  }

  @Test(arguments: [
    ("[lra-1, lra-2]", "[lra-1, lra-1]", "3:20", "this stands in 'actuators' twice"),
    ("[lra-1, lra-2]", "[lra/1]", "3:13", "cannot be a name"),
    ("mounts: 3", "mount: 3", "6:1", "did you mean 'mounts'?"),
    ("mounts: 3", "mounts: 0", "6:9", "it must be from 1 to 100"),
    ("days: 2", "days: 99", "1:1", "at most 500"),
    ("latency.transport", "latency.transprt", "10:5", "is not a reading"),
    ("tolerance: 0.1 g", "tolerance: 3 ms", "11:56", "in 'tolerance'"),
    ("tolerance: 0.1 g", "tolerance: -1 g", "11:56", "must be above 0"),
    (
      "days: 2\nmounts: 3\nrepeats: 4", "days: 1\nmounts: 1\nrepeats: 1", "1:1",
      "nothing can be told"
    ),
    ("plan: ../plans/smoke.yaml\n", "", "1:1", "a gauge study needs 'plan'"),
  ])
  func `what is wrong is told with its place`(
    replacing: String, text: String, place: String, message: String
  ) {
    expectError(place, message) { try study(replacing, with: text) }
  }

  @Test func `the study of the project reads`() throws {
    let study = try Study(yaml: projectFile("rigs/studies/gauge.yaml"), file: "gauge.yaml")
    #expect(study.mountCount == 30)
    #expect(study.readings.count == 3)
    #expect(study.planName == "gauge-lra")
  }
}
