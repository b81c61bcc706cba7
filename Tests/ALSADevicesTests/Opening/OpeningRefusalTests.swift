// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import ScratchFolder
import Testing

@testable import ALSADevices

struct OpeningRefusalTests {
  private func refusal(
    _ number: Int32, _ pcm: String, _ direction: Direction = .playback, _ tree: SoundTree,
    text: String = ""
  ) -> OpeningRefusal {
    withExtendedLifetime(tree) {
      OpeningRefusal(
        OpeningFault(code: -number, text: text), pcm: pcm, direction: direction, files: tree.files)
    }
  }

  @Test func `a card that is not there is answered with those that are`() throws {
    let refusal = refusal(ENODEV, "hw:CARD=Gone,DEV=0", .capture, try SoundTree())
    #expect(refusal.code == .notFound)
    #expect(
      refusal.sentence == "there is no 'hw:CARD=Gone,DEV=0': capture is offered by "
        + "'hw:CARD=Controller,DEV=0', 'hw:CARD=Data,DEV=0'")
  }

  @Test func `drive and capture that are swapped are told`() throws {
    let refusal = refusal(ENOENT, "hw:CARD=Data,DEV=0", .playback, try SoundTree())
    #expect(
      refusal.sentence == "'hw:CARD=Data,DEV=0' has no playback, only capture: are drive and "
        + "capture swapped in the rig file?")
  }

  @Test func `a device that a card does not have is answered with its own`() throws {
    let refusal = refusal(ENOENT, "hw:CARD=Controller,DEV=4", .playback, try SoundTree())
    #expect(
      refusal.sentence == "the card 'Controller' has no device 4 for playback: use "
        + "'hw:CARD=Controller,DEV=0'")
  }

  @Test func `who holds a busy card is named, as ALSA says it`() throws {
    let tree = try SoundTree()
    try tree.write(
      "state: RUNNING\nowner_pid   : 4711\n", to: "/proc/asound/card1/pcm0p/sub0/status")
    try tree.write("pipewire\n", to: "/proc/4711/comm")
    let refusal = refusal(EBUSY, "hw:CARD=Controller,DEV=0", .playback, tree)
    #expect(refusal.code == .busy)
    #expect(
      refusal.sentence.contains(
        "'hw:CARD=Controller,DEV=0' is in use by pipewire (process 4711): end it there"))
  }

  @Test func `who holds a busy card is found among the processes`() throws {
    let tree = try SoundTree()
    try tree.open("/dev/snd/pcmC1D0c", by: 812, named: "jackd")
    #expect(
      refusal(EBUSY, "hw:1,0", .capture, tree).sentence.contains("by jackd (process 812)"))
    #expect(refusal(EBUSY, "hw:1,0", .playback, tree).sentence.contains("by another program"))
  }

  @Test func `a card that is not permitted names the group`() throws {
    let refusal = refusal(EACCES, "hw:CARD=Controller,DEV=0", .playback, try SoundTree())
    #expect(refusal.code == .denied)
    #expect(refusal.sentence.contains("add the user to the group 'audio'"))
  }

  @Test func `what else the library says is passed on`() throws {
    let refusal = refusal(
      EINVAL, "odd", .playback, try SoundTree(), text: "Unknown field colour")
    #expect(refusal.code == .refused)
    #expect(
      refusal.sentence
        == "'odd' cannot be opened for playback: Unknown field colour (error \(EINVAL))")
  }
}
