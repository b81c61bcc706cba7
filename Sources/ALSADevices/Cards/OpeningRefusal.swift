// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

struct OpeningRefusal {
  let code: DeviceError.Code
  let number: Int32
  let sentence: String

  init(_ fault: OpeningFault, pcm: String, direction: Direction, files: SystemFiles) {
    number = -fault.code
    let address = PCMAddress(pcm)
    let cards = SoundCards.list(files, asks: false)
    let card = cards.card(ofPCM: pcm)
    let node = address.flatMap { address in
      card.map {
        "/dev/snd/pcmC\($0.index)D\(address.device)\(direction == .playback ? "p" : "c")"
      }
    }
    switch number {
    case EBUSY, EAGAIN:
      code = .busy
      let holder = node.flatMap { files.holder(ofPCM: $0) } ?? "another program"
      sentence =
        "'\(pcm)' is in use by \(holder): end it there (a sound server lets go with "
        + "'systemctl --user stop pipewire.socket pipewire wireplumber' or 'pasuspender'), "
        + "then try again"
    case EACCES, EPERM:
      code = .denied
      let group = node.flatMap { files.group(of: $0) } ?? "audio"
      sentence =
        "the system does not let this user open '\(pcm)': add the user to the group '\(group)' "
        + "('sudo usermod -aG \(group) $USER'), and log in again"
    case ENOENT, ENODEV, ENXIO:
      code = .notFound
      sentence = Self.missing(pcm, direction, card, cards, text: fault.text)
    default:
      code = .refused
      let said = fault.text.isEmpty ? LibraryMessages.sentence(fault.code) : fault.text
      sentence = "'\(pcm)' cannot be opened for \(direction.word): \(said) (error \(number))"
    }
  }

  private static func missing(
    _ pcm: String, _ direction: Direction, _ card: SoundCard?, _ cards: SoundCards, text: String
  ) -> String {
    guard let card else {
      let said = text.isEmpty ? "" : " (\(text))"
      guard !cards.cards.isEmpty else {
        return "there is no '\(pcm)'\(said): \(cards.emptyReason ?? "no sound card is there")"
      }
      let names = cards.cards.flatMap { $0.pcms.filter { $0.direction == direction.word } }
        .map { "'\($0.name)'" }
      return "there is no '\(pcm)'\(said): \(direction.word) is offered by "
        + (names.isEmpty ? "no card here" : names.joined(separator: ", "))
    }
    let device = PCMAddress(pcm)?.device ?? 0
    let others = card.pcms.filter { $0.device == device }
    if let other = others.first, !others.contains(where: { $0.direction == direction.word }) {
      return "'\(pcm)' has no \(direction.word), only \(other.direction): are drive and capture "
        + "swapped in the rig file?"
    }
    let devices = card.pcms.filter { $0.direction == direction.word }.map { "'\($0.name)'" }
    return "the card '\(card.id)' has no device \(device) for \(direction.word): "
      + (devices.isEmpty
        ? "it has none for \(direction.word)" : "use \(devices.joined(separator: ", "))")
  }
}
