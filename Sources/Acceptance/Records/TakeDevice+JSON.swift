import Devices
import JSONText

extension RunRecord.TakeDevice {
  var json: JSONValue {
    .object(present: [
      "frames": .integer(frames), "driveFrames": .integer(driveFrames),
      "captureEvents": .array(captureEvents.map(\.json)),
      "driveEvents": .array(driveEvents.map(\.json)),
      "expressible": expressible?.json,
      "fault": fault.map(JSONValue.string),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      frames: try field["frames"].count(), driveFrames: try field["driveFrames"].count(),
      captureEvents: try StreamEvent.list(field["captureEvents"]),
      driveEvents: try StreamEvent.list(field["driveEvents"]),
      expressible: try field.member("expressible").map { field throws(RunRecordError) in
        try ExpressibleDrive(field)
      }, fault: try field.member("fault")?.string())
  }
}

extension StreamEvent {
  fileprivate var json: JSONValue {
    .object(present: [
      "kind": .string(kind.rawValue), "frame": .integer(frame), "length": .integer(length),
      "channel": channel.map(JSONValue.string),
    ])
  }

  fileprivate static func list(_ field: RecordField) throws(RunRecordError) -> [StreamEvent] {
    var events: [StreamEvent] = []
    for event in try field.elements() {
      // Years of frames, and sums of a few of them stay numbers.
      let farthest = (1 << 40) - 1
      events.append(
        StreamEvent(
          kind: try event["kind"].word(Kind.self),
          frame: try event["frame"].integer(in: -farthest...farthest),
          length: try event["length"].count(), channel: try event.member("channel")?.string()))
    }
    return events
  }
}
