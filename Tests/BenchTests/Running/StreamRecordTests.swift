import Devices
import JSONText
import Testing

@testable import Bench

struct StreamRecordTests {
  @Test func `what boards say of themselves stands in the record, with who knows the full scale`() {
    var statistics = StreamStatistics()
    statistics.statements = [
      .init(device: "A", fullScaleVolts: 3.3, driveDelay: 0.25),
      .init(device: "B", fullScaleVolts: 4, knowsFullScale: false),
      .init(device: "C", sensorDelay: 0.5, sensorRate: 26_667),
    ]
    let stated = RunAccount.stream(statistics)["stated"]
    let expected: JSONValue = [
      ["device": "A", "fullScale": 3.3, "fullScaleFrom": "device", "driveDelay": 0.25],
      ["device": "B", "fullScale": 4.0, "fullScaleFrom": "rig file"],
      ["device": "C", "sensorDelay": 0.5, "sensorRate": 26_667.0],
    ]
    #expect(stated?.text() == expected.text())
  }

  @Test func `devices that say nothing of themselves leave nothing in the record`() {
    #expect(RunAccount.stream(StreamStatistics())["stated"] == nil)
  }
}
