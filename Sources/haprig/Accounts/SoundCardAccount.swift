import ALSADevices
import JSONText

/// The sound cards of the machine as text and as JSON.
struct SoundCardAccount {
  let cards: SoundCards

  /// What a person reads.
  var text: String {
    guard !cards.cards.isEmpty else {
      return "SOUND CARD    none: \(cards.emptyReason ?? "ALSA lists no card")\n"
    }
    var text = "SOUND CARD    (for device: alsa)\n"
    for card in cards.cards {
      text += "\(card.id)  \(card.name)\(card.usb.map { ", \(Self.identity(of: $0))" } ?? "")\n"
      if let calibration = card.calibration { text += "  \(calibration.summary)\n" }
      for pcm in card.pcms {
        text += "  \(pcm.name)  \(pcm.direction)  \(Self.offer(of: pcm))\n"
      }
    }
    return text
  }

  private static func identity(of usb: USBIdentity) -> String {
    let serial = usb.serial.map { " serial \($0)" } ?? ""
    return "USB \(usb.vendor):\(usb.product)\(serial) at \(usb.path)"
  }

  private static func offer(of pcm: SoundPCM) -> String {
    guard let offer = pcm.offer else { return pcm.refusal ?? "it does not say what it can" }
    let rates = offer.rates.map(String.init).joined(separator: " ")
    let maps = offer.channelMaps.isEmpty ? "" : " (\(offer.channelMaps.joined(separator: "; ")))"
    return "\(range(offer.channels)) channels\(maps), \(offer.formats.joined(separator: " ")), "
      + "\(rates) Hz, periods \(range(offer.periods)), buffers \(range(offer.buffers))"
      + (offer.hasMmap ? ", mmap" : "")
  }

  private static func range(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }

  /// What a program reads.
  var json: JSONValue {
    .array(
      cards.cards.map { card in
        var members = [
          JSONMember("id", .string(card.id)), JSONMember("name", .string(card.name)),
          JSONMember("driver", .string(card.driver)),
          JSONMember("pcms", .array(card.pcms.map(Self.json))),
        ]
        if let usb = card.usb { members.append(JSONMember("usb", Self.json(usb))) }
        if let calibration = card.calibration {
          members.append(JSONMember("calibration", .string(calibration.summary)))
        }
        return .object(members)
      })
  }

  private static func json(_ usb: USBIdentity) -> JSONValue {
    var members = [
      JSONMember("vendor", .string(usb.vendor)), JSONMember("product", .string(usb.product)),
      JSONMember("path", .string(usb.path)),
    ]
    for (key, value) in [
      ("serial", usb.serial), ("productString", usb.productString),
      ("manufacturer", usb.manufacturer),
    ] {
      if let value { members.append(JSONMember(key, .string(value))) }
    }
    return .object(members)
  }

  private static func json(_ pcm: SoundPCM) -> JSONValue {
    var members = [
      JSONMember("name", .string(pcm.name)), JSONMember("direction", .string(pcm.direction)),
      JSONMember("title", .string(pcm.title)),
    ]
    if let refusal = pcm.refusal { members.append(JSONMember("refusal", .string(refusal))) }
    if let offer = pcm.offer {
      members += [
        JSONMember("formats", .array(offer.formats.map { .string($0) })),
        JSONMember("rates", .array(offer.rates.map { .integer($0) })),
        JSONMember("channels", json(offer.channels)), JSONMember("periods", json(offer.periods)),
        JSONMember("buffers", json(offer.buffers)), JSONMember("mmap", .bool(offer.hasMmap)),
        JSONMember("channelMaps", .array(offer.channelMaps.map { .string($0) })),
      ]
    }
    return .object(members)
  }

  private static func json(_ range: ClosedRange<Int>) -> JSONValue {
    [.integer(range.lowerBound), .integer(range.upperBound)]
  }
}
