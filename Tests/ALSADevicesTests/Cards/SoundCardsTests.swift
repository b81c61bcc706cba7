// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Testing

@testable import ALSADevices

struct SoundCardsTests {
  @Test func `cards have names that stay, and what they are on USB`() throws {
    let cards = try SoundTree().cards()
    #expect(cards.emptyReason == nil)
    #expect(cards.cards.map(\.id) == ["PCH", "Controller", "Data"])
    #expect(cards.cards.map(\.index) == [0, 1, 3])
    #expect(cards.cards.map(\.driver) == ["HDA-Intel", "USB-Audio", "USB-Audio"])
    #expect(cards.cards[0].usb == nil)
    #expect(
      cards.cards[1].usb
        == USBIdentity(
          vendor: "054c", product: "0ce6", productString: "DualSense Wireless Controller",
          serial: "0001", path: "1-1"))
    #expect(
      cards.cards[1].pcms.map(\.name) == ["hw:CARD=Controller,DEV=0", "hw:CARD=Controller,DEV=0"])
    #expect(cards.cards[1].pcms.map(\.direction) == ["playback", "capture"])
    #expect(cards.cards[2].pcms.map(\.title) == ["USB Audio"])
  }

  @Test func `the product string is whole where the card's own name is cut`() throws {
    let card = try #require(
      try SoundTree().cards().card(ofPCM: "hw:CARD=Data,DEV=0"))
    #expect(card.name == "485B39 2 001598 0794359 0799265")
    #expect(card.usb?.productString == "485B39 2 001598 0794359 0799265 210723")
  }

  @Test func `a machine without sound has no cards, and the reason`() throws {
    let folder = try ScratchFolder()
    let none = SoundCards.list(SystemFiles(root: folder.path))
    #expect(none.cards.isEmpty)
    #expect(none.emptyReason?.contains("no sound support (there is no /proc/asound)") == true)
    _ = try folder.folder("proc")
    _ = try folder.folder("proc/asound")
    try folder.write("--- no soundcards ---\n", to: "proc/asound/cards")
    let empty = SoundCards.list(SystemFiles(root: folder.path))
    #expect(empty.emptyReason == "no sound card is there: plug one in, and look at 'lsusb'")
  }

  @Test func `a card that cannot be asked says why`() throws {
    // The tree names cards that this machine does not have.
    let cards = try SoundTree().cards(asks: true)
    for pcm in cards.cards.flatMap(\.pcms) {
      #expect(pcm.offer == nil)
      #expect(pcm.refusal?.isEmpty == false)
    }
  }

  @Test(arguments: [
    ("hw:CARD=Controller,DEV=1", "Controller", 1), ("hw:Controller,2", "Controller", 2),
    ("hw:1", "1", 0), ("plughw:CARD=X", "X", 0), ("hw:DEV=3,CARD=Y", "Y", 3),
  ])
  func `a name means a card and a device`(name: String, card: String, device: Int) throws {
    let address = try #require(PCMAddress(name))
    #expect(address.card == card)
    #expect(address.device == device)
  }

  @Test(arguments: ["default", "null", "pulse", "hw:", "virtual-card", "dmix:CARD=X"])
  func `a name of another kind means no card`(name: String) {
    #expect(PCMAddress(name) == nil)
  }
}
