// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import ScratchFolder
import Testing

@testable import ALSADevices

/// A tree like that of a machine with two sound cards, one of them a DualSense and one measuring.
struct SoundTree {
  let folder: ScratchFolder
  var files: SystemFiles { SystemFiles(root: folder.path) }

  init() throws {
    folder = try ScratchFolder()
    try write(
      """
       0 [PCH            ]: HDA-Intel - HDA Intel PCH
                            HDA Intel PCH at 0xa1318000 irq 144
       1 [Controller     ]: USB-Audio - DualSense Wireless Controller
                            Sony DualSense Wireless Controller at usb-0000:00:14.0-1, full speed
       3 [Data           ]: USB-Audio - 485B39 2 001598 0794359 0799265
                            Modal Shop 485B39 at usb-0000:00:14.0-2, full speed

      """, to: "/proc/asound/cards")
    try pcm(card: 0, "pcm0p", name: "ALC257 Analog")
    try pcm(card: 1, "pcm0p", name: "USB Audio")
    try pcm(card: 1, "pcm0c", name: "USB Audio")
    try pcm(card: 3, "pcm0c", name: "USB Audio")
    try usb(
      card: 1, place: "1-1", vendor: "054c", product: "0ce6", name: "DualSense Wireless Controller",
      serial: "0001")
    try usb(
      card: 3, place: "1-2", vendor: "29da", product: "000a",
      name: "485B39 2 001598 0794359 0799265 210723", serial: "001598")
    try write("", to: "/sys/devices/pci0/sound/card0/number")
    try link("/sys/class/sound/card0/device", to: "../../../devices/pci0")
  }

  /// The cards that the tree shows.
  func cards(asks: Bool = false) -> SoundCards {
    // The folder goes with the last use of it.
    withExtendedLifetime(folder) { SoundCards.list(files, asks: asks) }
  }

  /// An open file of a process.
  func open(_ node: String, by process: Int, named program: String) throws {
    try write(program + "\n", to: "/proc/\(process)/comm")
    try link("/proc/\(process)/fd/17", to: node)
  }

  func write(_ text: String, to path: String) throws {
    var place = ""
    for part in path.split(separator: "/").dropLast() {
      place += "/" + part
      mkdir(folder.path + place, 0o755)
    }
    try folder.write(text, to: String(path.dropFirst()))
  }

  private func link(_ path: String, to target: String) throws {
    try write("", to: path)
    unlink(folder.path + path)
    #expect(symlink(target, folder.path + path) == 0)
  }

  private func pcm(card: Int, _ name: String, name title: String) throws {
    try write(
      """
      card: \(card)
      device: 0
      stream: \(name.hasSuffix("p") ? "PLAYBACK" : "CAPTURE")
      id: \(title)
      name: \(title)

      """, to: "/proc/asound/card\(card)/\(name)/info")
    try write("closed\n", to: "/proc/asound/card\(card)/\(name)/sub0/status")
  }

  private func usb(
    card: Int, place: String, vendor: String, product: String, name: String, serial: String
  ) throws {
    let device = "/sys/devices/pci0/usb1/\(place)"
    for (file, text) in [
      ("idVendor", vendor), ("idProduct", product), ("product", name), ("serial", serial),
      ("\(place):1.0/bInterfaceClass", "01"),
    ] {
      try write(text + "\n", to: "\(device)/\(file)")
    }
    try link(
      "/sys/class/sound/card\(card)/device", to: "../../../devices/pci0/usb1/\(place)/\(place):1.0")
  }
}
