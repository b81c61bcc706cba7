import HapticRendering
import JSONText
import Units

/// A pattern's intent in exact form as JSON: what is asked for, apart from how it is drawn.
struct IntentAccount {
  let file: String
  let intent: Intent
  let configuration: RenderConfiguration

  var json: JSONValue {
    let laws = configuration.lawNames.map { JSONMember($0.key, .string($0.value)) }
    return [
      "file": .string(file), "duration": .number(intent.timeline.duration),
      "end": .number(intent.timeline.end), "laws": .object(laws),
      "events": .array(intent.timeline.events.map(event)),
    ]
  }

  private func event(_ event: TimelineEvent) -> JSONValue {
    var members = [
      JSONMember("index", .integer(event.index)),
      JSONMember("kind", .string(event.kind.rawValue)),
      JSONMember("start", .number(event.start)), JSONMember("end", .number(event.end)),
    ]
    if let sound = event.sound {
      members += Self.sound(sound)
      members.append(JSONMember("envelope", Self.envelope(event.envelope)))
    } else {
      members.append(JSONMember("segments", .array(intent.segments(of: event).map(Self.segment))))
    }
    return .object(members)
  }

  private static func segment(_ segment: IntentSegment) -> JSONValue {
    let (intensity, sharpness, weight) = (segment.intensity, segment.sharpness, segment.weight)
    return [
      "start": .number(segment.start), "end": .number(segment.end),
      "intensity": [
        .number(intensity.constant), .number(intensity.linear), .number(intensity.square),
      ],
      "sharpness": [.number(sharpness.constant), .number(sharpness.linear)],
      "weight": [
        "base": .number(weight.base), "swing": .number(weight.swing),
        "origin": .number(weight.origin), "length": .number(weight.length),
      ],
    ]
  }

  private static func sound(_ sound: TimelineEvent.Sound) -> [JSONMember] {
    var members = [
      JSONMember("volume", .number(sound.volume)), JSONMember("pitch", .number(sound.pitch)),
      JSONMember("pan", .number(sound.pan)), JSONMember("brightness", .number(sound.brightness)),
      JSONMember("usesEnvelope", .bool(sound.usesEnvelope)),
      JSONMember("loops", .bool(sound.loops)),
    ]
    if let path = sound.path { members.append(JSONMember("path", .string(path))) }
    return members
  }

  private static func envelope(_ envelope: Envelope) -> JSONValue {
    [
      "attack": .number(envelope.attack), "decay": .number(envelope.decay),
      "release": .number(envelope.release), "duration": .number(envelope.duration),
      "isSustained": .bool(envelope.isSustained),
    ]
  }
}
