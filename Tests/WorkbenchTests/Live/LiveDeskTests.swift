// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import Glibc
import JSONText
import LiveRuns
import ScratchFolder
import Testing
import Units

@testable import Workbench

/// What works is shown as its live folder tells it.
struct LiveDeskTests {
  private static let id = "20261125-230501-4711"

  private static func rig() -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .file(FileDescription()), rate: .standard, channels: [.haptic: 1],
        fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .file,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
        ]),
      actuators: [
        Actuator(id: "lra-1", model: "m", limits: DriveLimits(continuousVolts: 2, peakVolts: 4))
      ])
  }

  private static func json(_ fixture: ServerFixture, _ path: String) throws -> JSONValue {
    try JSONValue(parsing: fixture.get("/api/v1/" + path).body)
  }

  /// Looks again and again until it is so; what never is fails the test.
  private static func wait(_ isSo: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<1000 {
      if try isSo() { return true }
      usleep(10_000)
    }
    return false
  }

  @Test func `a run is followed from its start to its end`() throws {
    let folder = try ScratchFolder()
    let live = folder.file("live")
    let fixture = try ServerFixture(holding: folder) { $0.live = live }
    #expect(fixture.get("/api/v1/live/\(Self.id)/events").status == 404)
    let writer = LiveWriter(folder: live) {
      .init(
        id: Self.id, program: "haprig 9", process: 4711, host: "h",
        started: "2026-11-25T23:05:01Z", command: "run", arguments: ["tap.ahap"])
    }
    _ = writer.tell(
      .work(.init(rig: "bench", plan: "smoke", title: "smoke on bench", actuators: ["lra-1"])))
    let tap = try #require(writer.tap(Self.rig()))
    tap.begin()
    // A drive of one value after the other, and a response of their halves.
    let drive = (0..<9600).map { Float($0) / 9600 }
    let response = drive.map { $0 / 2 }
    tap.drive(drive.span)
    tap.capture(response.span)
    _ = writer.tell(.progress(.init(share: 0.25, overall: 0.125, remaining: 7)))
    var row: JSONValue?
    let isShown = try Self.wait {
      row = try Self.json(fixture, "live")["live"]?.elements?.first
      return row?["overall"]?.number == 0.125
    }
    #expect(isShown)
    #expect(row?["id"]?.string == Self.id && row?["state"]?.string == "working")
    #expect(row?["rig"]?.string == "bench" && row?["plan"]?.string == "smoke")
    #expect(row?["process"]?.integer == 4711 && row?["remaining"]?.number == 7)
    let events = try Self.json(fixture, "live/\(Self.id)/events?from=1")
    #expect(events["first"]?.integer == 1)
    #expect(events["events"]?.elements?.first?["n"]?.integer == 1)
    #expect(events["next"]?.integer == row?["events"]?.integer)

    let (header, values) = try RecordingTests.waves(
      fixture.get("/api/v1/live/\(Self.id)/waves?from=0&to=9600&columns=10").body)
    #expect(header["framesPerBin"]?.integer == 960 && values.count == 40)
    #expect(header["rate"]?.number == 48_000)
    let last = try #require(values.dropFirst(19).first)
    #expect(abs(last - 9599.0 / 9600) < 0.02)
    #expect(zip(values[..<20], values[20...]).allSatisfy { abs($0 / 2 - $1) < 0.01 })
    #expect(fixture.get("/api/v1/live/\(Self.id)/waves?columns=10&channels=5").status == 200)
    // What is still to come is not there.
    let (cut, _) = try RecordingTests.waves(
      fixture.get("/api/v1/live/\(Self.id)/waves?from=4800&to=96000&columns=7").body)
    #expect(cut["from"]?.integer == 4800 && cut["to"]?.integer == 9600)
    let (none, rest) = try RecordingTests.waves(
      fixture.get("/api/v1/live/\(Self.id)/waves?from=48000&to=96000&columns=7").body)
    #expect(none["from"]?.integer == none["to"]?.integer && rest.isEmpty)

    let page = try #require(PageSocketTests.Page(fixture) as PageSocketTests.Page?)
    page.say("{\"watch\": \"live/\(Self.id)\", \"from\": 0}")
    let told = try #require(page.text(with: "events"))
    #expect(told["events"]?.elements?.first?["kind"]?.string == "start")
    writer.finish(status: 0, sentence: nil)
    var kinds: [String] = []
    while let message = page.text(with: "topic") {
      kinds += (message["events"]?.elements ?? []).compactMap { $0["kind"]?.string }
      if let state = message["state"]?.string {
        #expect(state == "ended")
        break
      }
    }
    #expect(kinds.last == "end")
    let isGone = try Self.wait { try Self.json(fixture, "live")["live"]?.elements == [] }
    #expect(isGone)
    #expect(fixture.post("/api/v1/live/\(Self.id)/stop", "{}").status == 404)
  }

  @Test func `lines are handed on as they stand, and one that is no JSON spoils nothing`() throws {
    let folder = try ScratchFolder()
    let live = try folder.folder("live")
    let own = try folder.folder("live/\(Self.id)")
    #expect(chmod(live, 0o700) == 0 && chmod(own, 0o700) == 0)
    try folder.write("", to: "live/\(Self.id)/lock")
    let lines = [
      #"{"n":0,"t":0.5,"kind":"idle"}"#, #"{"n":1,"#, #"{"n":2,"t":1e0,"kind":"later"}"#,
    ]
    try folder.write(
      lines.joined(separator: "\n") + "\n", to: "live/\(Self.id)/events.jsonl")
    let fixture = try ServerFixture(holding: folder) { $0.live = live }
    let text = fixture.get("/api/v1/live/\(Self.id)/events").text
    #expect(
      text == "{\"first\":0,\"next\":3,\"events\":[\(lines[0]),null,\(lines[2])]}\n", "\(text)")
    let page = try #require(PageSocketTests.Page(fixture) as PageSocketTests.Page?)
    page.say("{\"watch\": \"live/\(Self.id)\", \"from\": 1}")
    let told = try #require(page.text(with: "events"))
    #expect(told["first"]?.integer == 1 && told["topic"]?.string == "live/\(Self.id)")
    #expect(told["events"]?.elements?.first == .null && told["events"]?.elements?.count == 2)
  }

  @Test func `a bin of the newest that was sent once stays where it was`() {
    for count in [0, 1, 63, 64, 65, 999, 1000, 1001, 48_000, 123_457] {
      let bins = WaveBins(
        rate: 48_000, newest: count, framesPerBin: 64, columns: 15, names: ["z"], units: ["m/s2"])
      #expect(bins.range.lowerBound % 64 == 0 && bins.range.upperBound == count)
      #expect(bins.range.count >= min(count, 64 * 15) && bins.range.count < 64 * 16)
      #expect(bins.lowest[0].count == bins.binCount && bins.binCount <= 16)
    }
  }
}
