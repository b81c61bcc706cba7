// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Testing
import USBModels

@testable import USBTransport

struct DeviceHandleTests {
  private let selection = USBSelection(identity: Echo.identity)

  private func failure(_ body: () throws -> Void) throws -> DeviceError {
    do {
      try body()
    } catch let error as DeviceError {
      return error
    }
    Issue.record("nothing was thrown")
    throw CancellationError()
  }

  @Test func `a control request brings the device's answer`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(serial: "SN42"))
    let handle = try USBContext(bus).open(selection, rig: "bench")
    let answer = try handle.ask(USBControlRequest(type: 0xC0, request: 1), count: 16)
    #expect(String(decoding: answer, as: UTF8.self) == "SN42")
  }

  @Test func `a refused control request says which`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice())
    let handle = try USBContext(bus).open(selection, rig: "bench")
    let error = #expect(throws: DeviceError.self) {
      try handle.send(USBControlRequest(type: 0x40, request: 9))
    }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("control request 9") == true)
  }

  @Test func `no permission names the rule and the file it belongs in`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), guarded: .denied)
    let error = try failure { _ = try USBContext(bus).open(selection, rig: "bench") }
    #expect(error.code == .denied)
    #expect(error.message.contains("/dev/bus/usb/001/001"))
    #expect(error.message.contains("/etc/udev/rules.d/71-haprig-own.rules"))
    #expect(error.message.contains("ATTR{idVendor}==\"1209\", ATTR{idProduct}==\"c0de\""))
  }

  @Test func `no permission of a board names the rule of boards, as the list of devices does`()
    throws
  {
    let folder = try SystemTree()
    let bus = FakeUSBBus()
    bus.plug(
      FakeBoard(BoardDevice(.reference, plant: WitnessPlant(width: 3))), guarded: .denied)
    let files = SystemFiles(root: folder.root)
    let open = { _ = try USBContext(bus, files: files).open(USBSelection(), rig: "bench") }
    let listed = try #require(USBInventory(bus, files: files).entries.first?.rule)
    let missing = try failure(open)
    #expect(missing.message.contains("run 'make install-udev'"))
    #expect(missing.message.contains(listed.line))
    try folder.write(listed.line + "\n", to: "etc/udev/rules.d/70-haprig.rules")
    let waiting = try failure(open)
    #expect(
      waiting.message.contains("though a udev rule opens it: plug it in again; without a seat"))
  }

  @Test func `a device in use names the program that has it`() throws {
    let folder = try SystemTree()
    try folder.write("hapticd\n", to: "proc/77/comm")
    try folder.link("proc/77/fd/3", to: "/dev/bus/usb/001/001")
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), guarded: .claimed)
    let context = USBContext(bus, files: SystemFiles(root: folder.root))
    let handle = try context.open(selection, rig: "bench")
    let error = try failure { try handle.claim(0) }
    #expect(error.code == .busy)
    #expect(error.message.contains("hapticd (process 77)"))
  }

  @Test func `a kernel driver is detached and bound again at the end`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice(), guarded: .kernelDriver)
    do {
      let handle = try USBContext(bus).open(selection, rig: "bench")
      try handle.claim(0)
      #expect(bus.use.detached == 1 && bus.use.claims == 1)
    }
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `a queue outlives its handle and gives all back after it`() throws {
    let bus = FakeUSBBus()
    bus.plug(EchoDevice())
    do {
      var queue = try makeQueue(bus)
      try queue.submitAll()
      #expect(bus.use.ports == 1 && bus.use.claims == 1 && bus.use.transfers == 4)
    }
    #expect(bus.use == FakeUSBBus.Use())
  }

  private func makeQueue(_ bus: FakeUSBBus) throws -> USBTransferQueue {
    let handle = try USBContext(bus).open(selection, rig: "bench")
    try handle.claim(0)
    return try handle.queue(Echo.input, transfers: 4, bytes: 512)
  }

  @Test func `a thousand plugs, streams and unplugs leave nothing behind`() throws {
    let bus = FakeUSBBus()
    let packet: [UInt8] = [1, 2]
    for cycle in 0..<1000 {
      bus.plug(EchoDevice())
      let handle = try USBContext(bus).open(selection, rig: "bench")
      try handle.claim(0)
      var output = try handle.queue(Echo.output, transfers: 2, bytes: 512)
      var input = try handle.queue(Echo.input, transfers: 2, bytes: 512)
      try input.submitAll()
      _ = try output.submit(packet.span)
      if cycle.isMultiple(of: 2) { try bus.serveEvents(microseconds: 1000) }
      bus.unplug(port: 1)
    }
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `a device that describes itself wrongly is not opened`() throws {
    let bus = FakeUSBBus()
    // Its configuration is cut short.
    var record = EchoDevice().record
    record.descriptorBytes = Array(EchoDevice.descriptors.prefix(30))
    bus.plug(MuteDevice(record))
    let error = try failure { _ = try USBContext(bus).open(selection, rig: "bench") }
    #expect(error.code == .garbled)
    #expect(error.message.contains("descriptor byte 18"))
  }
}
