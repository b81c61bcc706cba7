// SPDX-License-Identifier: Apache-2.0

import CALSA
package import Devices
import Paths

package struct SoundCard: Sendable, Hashable {
  /// The kernel's number, which changes from start to start.
  package var index: Int
  /// The kernel's name, which stays: `Controller` in `hw:CARD=Controller`.
  package var id: String
  package var name: String
  package var driver: String
  /// What it is on USB; `nil` for a card that is not.
  package var usb: USBIdentity?
  package var pcms: [SoundPCM] = []

  /// What a measuring card's USB product string says of its scale; `nil` where it says nothing.
  package var calibration: CalibrationString? {
    usb?.productString.flatMap { CalibrationString($0) }
  }

  /// The serial numbers that it is known by: that of its descriptors and that of its calibration.
  package var serials: [String] {
    let own = [usb?.serial, calibration?.serial].compactMap { $0 }
    return own.count == 2 && own[0] == own[1] ? [own[0]] : own
  }
}

/// A USB device as its descriptors and its place name it.
package struct USBIdentity: Sendable, Hashable {
  /// The vendor's number, in four hexadecimal digits.
  package var vendor: String
  /// The product's number, in four hexadecimal digits.
  package var product: String
  /// The product string, which a card's own name may cut.
  package var productString: String?
  package var manufacturer: String?
  /// The serial number, which tells two of a kind apart.
  package var serial: String?
  /// The place on the bus, such as `1-1.4`.
  package var path: String
}

/// One direction of one device of a card.
package struct SoundPCM: Sendable, Hashable {
  /// What a rig file writes: `hw:CARD=Controller,DEV=0`.
  package var name: String
  package var device: Int
  package var direction: String
  package var title: String
  /// What it can do; `nil` where it could not be asked.
  package var offer: PCMOffer?
  package var refusal: String?
}

package struct PCMOffer: Sendable, Hashable {
  /// The sample formats that haprig uses, the widest first.
  package var formats: [String]
  /// The usual rates, in frames a second.
  package var rates: [Int]
  package var rateRange: ClosedRange<Int>
  package var channels: ClosedRange<Int>
  package var periods: ClosedRange<Int>
  package var buffers: ClosedRange<Int>
  package var hasMmap: Bool
  /// The orders of channels, such as `FL FR RL RR`.
  package var channelMaps: [String] = []
}

/// The sound cards that a machine has.
package struct SoundCards: Sendable, Hashable {
  package var cards: [SoundCard]
  package var emptyReason: String?

  /// Lists the cards of the kernel; with `asks` each PCM is opened for a moment and asked what it can do.
  package static func list(_ files: SystemFiles = SystemFiles(), asks: Bool = true) -> SoundCards {
    guard files.exists("/proc/asound/cards") else {
      return SoundCards(
        cards: [],
        emptyReason: "this kernel has no sound support (there is no /proc/asound): use "
          + "'pcm: virtual-card', or a machine with sound")
    }
    let entries = CardEntry.parse(files.text("/proc/asound/cards") ?? "")
    guard !entries.isEmpty else {
      return SoundCards(
        cards: [], emptyReason: "no sound card is there: plug one in, and look at 'lsusb'")
    }
    let cards = entries.map { entry in
      SoundCard(
        index: entry.index, id: entry.id, name: entry.name, driver: entry.driver,
        usb: USBIdentity(ofCard: entry.index, files),
        pcms: pcms(of: entry, files).map { asks ? asked($0, card: entry.index, files) : $0 })
    }
    return SoundCards(cards: cards)
  }

  /// The card that a PCM's name means, such as `hw:CARD=Controller,DEV=0` or `hw:1`.
  package func card(ofPCM name: String) -> SoundCard? {
    guard let address = PCMAddress(name) else { return nil }
    return cards.first { $0.id == address.card || String($0.index) == address.card }
  }

  /// The version of alsa-lib that is loaded, such as `1.2.8`; corresponds to `snd_asoundlib_version`.
  package static var libraryVersion: String {
    snd_asoundlib_version().map { String(cString: $0) } ?? "unknown"
  }

  private static func pcms(of entry: CardEntry, _ files: SystemFiles) -> [SoundPCM] {
    let folder = "/proc/asound/card\(entry.index)"
    return files.names(folder).compactMap { name in
      guard name.hasPrefix("pcm"), let last = name.last, last == "p" || last == "c",
        let device = Int(name.dropFirst(3).dropLast())
      else { return nil }
      let info = KeyedLines(files.text("\(folder)/\(name)/info") ?? "")
      return SoundPCM(
        name: "hw:CARD=\(entry.id),DEV=\(device)", device: device,
        direction: last == "p" ? "playback" : "capture", title: info["name"] ?? info["id"] ?? "")
    }.sorted { ($0.device, $1.direction) < ($1.device, $0.direction) }
  }

  private static func asked(_ pcm: SoundPCM, card: Int, _ files: SystemFiles) -> SoundPCM {
    var pcm = pcm
    let direction = pcm.direction == "playback" ? Direction.playback : .capture
    do throws(OpeningFault) {
      let open = try PCM(pcm.name, direction)
      pcm.offer = PCMOffer(open)
      if pcm.offer == nil { pcm.refusal = "it tells nothing of what it can do" }
    } catch {
      pcm.refusal =
        OpeningRefusal(error, pcm: pcm.name, direction: direction, files: files).sentence
    }
    return pcm
  }
}

struct CardEntry: Equatable {
  let index: Int
  let id: String
  let driver: String
  let name: String

  /// Reads ` 0 [Controller     ]: USB-Audio - DualSense Wireless Controller` and its like.
  static func parse(_ text: String) -> [CardEntry] {
    text.split(separator: "\n").compactMap { line in
      guard let opening = line.firstIndex(of: "["), let closing = line.firstIndex(of: "]"),
        opening < closing, let index = Int(line[..<opening].filter { $0 != " " })
      else { return nil }
      let rest = line[closing...].dropFirst().drop { $0 == ":" || $0 == " " }
      let id = line[line.index(after: opening)..<closing].filter { $0 != " " }
      guard let dash = rest.firstRange(of: " - ") else {
        return CardEntry(index: index, id: id, driver: "", name: String(rest))
      }
      return CardEntry(
        index: index, id: id, driver: String(rest[..<dash.lowerBound]),
        name: String(rest[dash.upperBound...]))
    }
  }
}

struct KeyedLines {
  private let values: [String: String]

  init(_ text: String) {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let key = line[..<colon].filter { $0 != " " && $0 != "\t" }
      let value = line[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
      values[key] = String(value)
    }
    self.values = values
  }

  subscript(key: String) -> String? { values[key] }
}

extension USBIdentity {
  /// What the card of a number is on USB; `nil` for one that is not.
  init?(ofCard index: Int, _ files: SystemFiles) {
    // The card's device is an interface; the device itself is a folder above it.
    guard var folder = files.resolved("/sys/class/sound/card\(index)/device") else { return nil }
    while !files.exists("\(folder)/idVendor") {
      folder = FilePath.folder(of: folder)
      guard folder != "/" else { return nil }
    }
    guard let vendor = files.text("\(folder)/idVendor"),
      let product = files.text("\(folder)/idProduct")
    else { return nil }
    self.init(
      vendor: vendor, product: product, productString: files.text("\(folder)/product"),
      manufacturer: files.text("\(folder)/manufacturer"), serial: files.text("\(folder)/serial"),
      path: FilePath.name(of: folder))
  }
}

/// The card and device that a `hw` or `plughw` name means.
struct PCMAddress: Equatable {
  let card: String
  let device: Int

  /// Reads `hw:CARD=Controller,DEV=0`, `hw:Controller,0`, `hw:1`; `nil` for names of other kinds.
  init?(_ name: String) {
    guard let colon = name.firstIndex(of: ":"), ["hw", "plughw"].contains(name[..<colon]) else {
      return nil
    }
    var (card, device) = ("", 0)
    let parts = name[name.index(after: colon)...].split(
      separator: ",", omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      let pair = part.split(separator: "=", maxSplits: 1)
      let key = pair.count == 2 ? String(pair[0]) : ["CARD", "DEV"][place < 2 ? place : 1]
      let value = String(pair.last ?? "")
      if key == "CARD" { card = value }
      if key == "DEV", let number = Int(value) { device = number }
      if place > 1, pair.count != 2 { break }
    }
    guard !card.isEmpty else { return nil }
    (self.card, self.device) = (card, device)
  }
}

/// The calibration that a measuring USB sound card carries in its product string.
///
/// Digiducer's form: model, a format digit and a serial number, two sensitivities, a date, as in
/// `485B39 2 001598 0794359 0799265 210723`. Format 1 has five digits for each of the two inputs:
/// counts of 24 bits per m/s2. Formats 2 and 3 have seven: counts per volt, in format 3 per 50 mV.
package struct CalibrationString: Sendable, Hashable {
  /// What the sensitivities are.
  package enum Scale: Sendable, Hashable {
    /// By input, the acceleration at the converter's end, in m/s2.
    case acceleration([Double])
    /// By input, the voltage at the converter's end, in volts.
    case voltage([Double])
  }

  /// The model, such as `485B39`.
  package let model: String
  /// The serial number.
  package let serial: String
  /// The scale of inputs A and B.
  package let scale: Scale
  /// The date of the calibration as year, month, day, as in `2021-07-23`.
  package let date: String?

  /// Reads a product string; `nil` where it is not of this form.
  ///
  /// Blanks between the parts may be missing, as some units have none.
  package init?(_ text: String) {
    let characters = Array(text)
    guard characters.count > 14, characters.allSatisfy(\.isASCII) else { return nil }
    model = String(characters[..<6])
    // One character between model and format.
    let digits = characters[7...].filter { $0 != " " && $0 != "_" }
    guard digits.allSatisfy(\.isNumber), let format = digits.first?.wholeNumberValue else {
      return nil
    }
    let width = format == 1 ? 5 : 7
    guard (1...3).contains(format), digits.count >= 7 + 2 * width else { return nil }
    serial = String(digits[1..<7])
    let counts = [7, 7 + width].compactMap { Double(String(digits[$0..<($0 + width)])) }
    guard counts.count == 2, counts.allSatisfy({ $0 > 0 }) else { return nil }
    // Full scale is 2^23 counts.
    let ends = counts.map { 0x1p23 / $0 }
    switch format {
    case 1: scale = .acceleration(ends)
    case 2: scale = .voltage(ends)
    default: scale = .voltage(ends.map { $0 * 0.05 })
    }
    let day = digits[(7 + 2 * width)...]
    date = day.count == 6 ? Self.date(String(day)) : nil
  }

  /// The scale of both inputs, and which key of a rig file takes it, in words.
  package var summary: String {
    let (ends, unit, key) =
      switch scale {
      case .acceleration(let ends): (ends, "m/s2", "sensitivity")
      case .voltage(let ends): (ends, "V", "full-scale")
      }
    let values = ends.map { "\(($0 * 1000).rounded() / 1000)" }.joined(separator: " and ")
    return
      "\(model) number \(serial)\(date.map { ", calibrated \($0)" } ?? ""): \(values) \(unit) at "
      + "full scale of inputs 1 and 2 ('\(key): usb-product-string')"
  }

  private static func date(_ digits: String) -> String? {
    let parts = [0, 2, 4].compactMap { Int(digits.dropFirst($0).prefix(2)) }
    guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else {
      return nil
    }
    return "20\(digits.prefix(2))-\(digits.dropFirst(2).prefix(2))-\(digits.suffix(2))"
  }
}
