import Devices
import JSONText
import Units

extension RunAccount {
  /// What the devices told of a take that stands in no sound file: losses, clipping, counts of frames.
  static func device(_ recording: Recording) -> JSONValue {
    var members = [
      JSONMember("frames", .integer(recording.frameCount)),
      JSONMember("driveFrames", .integer(recording.driveFrameCount)),
      JSONMember("captureEvents", .array(recording.captureEvents.map(event))),
      JSONMember("driveEvents", .array(recording.driveEvents.map(event))),
    ]
    if let drive = recording.expressible {
      members.append(JSONMember("expressible", expressible(drive)))
    }
    if let fault = recording.fault { members.append(JSONMember("fault", .string("\(fault)"))) }
    return .object(members)
  }

  private static func event(_ event: StreamEvent) -> JSONValue {
    var members = [
      JSONMember("kind", .string(event.kind.rawValue)),
      JSONMember("frame", .integer(event.frame)), JSONMember("length", .integer(event.length)),
    ]
    if let channel = event.channel { members.append(JSONMember("channel", .string(channel))) }
    return .object(members)
  }

  /// The events of a list that `device` wrote; `nil` where it is none.
  static func events(_ value: JSONValue?) -> [StreamEvent]? {
    guard let elements = value?.elements else { return nil }
    let events = elements.compactMap { element -> StreamEvent? in
      guard let kind = element["kind"]?.string.flatMap(StreamEvent.Kind.init(rawValue:)),
        let frame = element["frame"]?.integer, let length = element["length"]?.integer,
        length >= 0, abs(frame) < 1 << 40, length < 1 << 40
      else { return nil }
      return StreamEvent(
        kind: kind, frame: frame, length: length, channel: element["channel"]?.string)
    }
    return events.count == elements.count ? events : nil
  }

  /// The statistics of a stream as far as a measurement needs them, from a record; `nil` where the account is none.
  static func statistics(_ stream: JSONValue) -> StreamStatistics? {
    guard let start = start(stream["start"]), let devices = stream["devices"]?.elements else {
      return nil
    }
    var statistics = StreamStatistics()
    statistics.start = start
    statistics.negotiations = devices.map { device in
      Negotiation(
        direction: device["direction"]?.string ?? "", pcm: device["pcm"]?.string ?? "",
        cardName: device["card"]?.string ?? "", access: device["access"]?.string ?? "",
        format: device["format"]?.string.flatMap(SampleFormat.init(rawValue:)) ?? .s16,
        channelCount: device["channels"]?.integer ?? 0, rate: device["rate"]?.number ?? 0,
        periodFrames: device["period"]?.integer ?? 0, bufferFrames: device["buffer"]?.integer ?? 0)
    }
    statistics.duration = stream["duration"]?.number ?? 0
    statistics.xruns = stream["xruns"]?.integer ?? 0
    statistics.restartUncertainty = stream["restartUncertainty"]?.number
    statistics.driveRate = rate(stream["driveRate"])
    statistics.captureRate = rate(stream["captureRate"])
    return statistics
  }

  private static func start(_ value: JSONValue?) -> StreamStatistics.Start? {
    switch value?["how"]?.string {
    case "lock-step": .lockStep
    case "linked": .linked
    case "unlinked":
      .unlinked(
        offset: value?["offset"]?.number ?? 0, uncertainty: value?["uncertainty"]?.number ?? 0,
        reason: value?["reason"]?.string ?? "")
    case "separate": .separate(reason: value?["reason"]?.string ?? "")
    default: nil
    }
  }

  private static func rate(_ value: JSONValue?) -> StreamStatistics.ClockRate? {
    guard let ppm = value?["ppm"]?.number, let uncertainty = value?["uncertainty"]?.number else {
      return nil
    }
    return StreamStatistics.ClockRate(
      ppm: ppm, uncertainty: uncertainty, pairCount: value?["pairs"]?.integer ?? 0)
  }
}
