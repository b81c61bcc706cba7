// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import USBModels

@testable import USBDevices

/// Every fault on the way to a DRV2605L ends the take with the output off, where the bridge can be reached.
struct BridgedFaultTests {
  /// Drives half of full scale until the take breaks, and gives why.
  private func breakTake(_ bench: any AnyChipFixture, seconds: Double = 0.15) -> DeviceError? {
    do throws(DeviceError) {
      try bench.play(seconds: seconds) { _ in 0.5 }
      return nil
    } catch {
      return error
    }
  }

  /// A packet in the middle of a take: about 30 after those of the opening and of the start.
  private static func transfer(_ bridge: DRV2605LDescription.Bridge) -> Int {
    switch bridge {
    case .mcp2221a: 130
    case .cp2112: 110
    case .ft232h: 55
    }
  }

  @Test(
    arguments: DRV2605LDescription.Bridge.allCases,
    [
      FakeUSBFault.Kind.stall, .fail, .babble, .lose, .shorten(to: 1), .corrupt(byte: 0),
      .hold(nanoseconds: 30_000_000),
    ])
  func `a fault that leaves the bridge reachable turns the output off within 20 ms`(
    bridge: DRV2605LDescription.Bridge, kind: FakeUSBFault.Kind
  ) throws {
    let transfer = Self.transfer(bridge)
    for endpoint: UInt8 in [0x03, 0x83] {
      // Only what a device sends can be too much, or come twice.
      if endpoint == 0x03, kind == .babble { continue }
      let bench = try ChipFixtureMaker.make(
        bridge, faults: [FakeUSBFault(kind, endpoint: endpoint, transfer: transfer)])
      let error = breakTake(bench)
      let fault = try #require(bench.bus.lastFault, "\(kind) on \(endpoint) never struck")
      let before = bench.moments.filter { $0.nanoseconds < fault }
      #expect(before.last?.isDriving == true, "\(kind) on \(endpoint) struck at rest")
      guard let error else {
        // A wrong byte may stand where nobody looks, and a CP2112 that heard no command tells how the one
        // before it went: the next slot's command makes it good, and the take is whole.
        let isHarmless = kind == .corrupt(byte: 0) || (kind == .lose && bridge == .cp2112)
        #expect(isHarmless, "\(kind) on \(endpoint)")
        #expect(bench.offSince != nil)
        continue
      }
      let off = try #require(bench.offSince, "\(kind) on \(endpoint): \(error)")
      // While an endpoint is held the bridge cannot be reached over it.
      let reachable: UInt64 = if case .hold(let time) = kind { fault + time } else { fault }
      #expect(
        off <= reachable + 20_000_000,
        "\(kind) on \(endpoint): \((Double(off) - Double(fault)) * 1e-6) ms, \(error)")
      #expect(error.device == "bench")
    }
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases, [UInt8(0x03), 0x83])
  func `an unplug ends the take at once and says what the chip still does`(
    bridge: DRV2605LDescription.Bridge, endpoint: UInt8
  ) throws {
    let transfer = Self.transfer(bridge)
    let bench = try ChipFixtureMaker.make(
      bridge, faults: [FakeUSBFault(.unplug, endpoint: endpoint, transfer: transfer)])
    let error = try #require(breakTake(bench))
    let fault = try #require(bench.bus.lastFault)
    #expect(error.code == .unplugged)
    #expect(error.message.contains("plug it in again"))
    #expect(error.message.contains("still holds its last amplitude"))
    #expect(bench.now - fault < 20_000_000)
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases)
  func `a bridge that stops answering is given up in bounded time`(
    bridge: DRV2605LDescription.Bridge
  ) throws {
    let bench = try ChipFixtureMaker.make(
      bridge, trouble: .init(silentFrom: Self.transfer(bridge)))
    let before = bench.now
    let error = try #require(breakTake(bench))
    #expect(error.code == .stalled)
    // It hears and does not answer: the write that turns the output off reaches the chip all the same.
    #expect(bench.offSince != nil)
    #expect(error.message.contains("the output may still be driven"))
    #expect(bench.now - before < 300_000_000)
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases)
  func `a wrong answer turns the output off`(bridge: DRV2605LDescription.Bridge) throws {
    let bench = try ChipFixtureMaker.make(bridge, trouble: .init(wrong: Self.transfer(bridge)))
    let error = try #require(breakTake(bench))
    #expect(error.code == .garbled || error.code == .stalled, "\(error)")
    #expect(bench.offSince != nil)
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases)
  func `an answer that comes too late is taken for no other`(
    bridge: DRV2605LDescription.Bridge
  ) throws {
    for late in stride(from: 4_500_000, through: 9_000_000, by: 1_500_000) {
      let bench = try ChipFixtureMaker.make(
        bridge, trouble: .init(late: (Self.transfer(bridge), UInt64(late))))
      #expect(breakTake(bench) != nil, "\(late) ns")
      #expect(bench.offSince != nil, "\(late) ns")
      // The bridge is usable: the next take goes as if nothing had been.
      #expect(breakTake(bench, seconds: 0.1) == nil, "\(late) ns")
      #expect(bench.offSince != nil, "\(late) ns")
    }
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases)
  func `a chip without supply is told when the rig is opened`(
    bridge: DRV2605LDescription.Bridge
  ) throws {
    let error = #expect(throws: DeviceError.self) {
      _ = try ChipFixtureMaker.make(bridge, trouble: .init(isAbsent: true))
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("0x5a: check its supply") == true)
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases)
  func `a bridge in use names who holds it, and one without permission the rule`(
    bridge: DRV2605LDescription.Bridge
  ) throws {
    let busy = #expect(throws: DeviceError.self) {
      _ = try ChipFixtureMaker.make(bridge, guarded: .claimed)
    }
    #expect(busy?.code == .busy)
    let denied = #expect(throws: DeviceError.self) {
      _ = try ChipFixtureMaker.make(bridge, guarded: .denied)
    }
    #expect(denied?.code == .denied)
    // Where the rules are installed the bridge waits for a new plug.
    #expect(denied?.message.contains("plug it in again; without a seat at the machine") == true)
  }

  @Test func `the kernel's driver waits until the rig is let go of`() throws {
    var bench: (any AnyChipFixture)? = try ChipFixtureMaker.make(.mcp2221a, guarded: .kernelDriver)
    let bus = try #require(bench?.bus)
    #expect(bus.use.detached == 1)
    bench = nil
    #expect(bus.use == FakeUSBBus.Use())
  }

  @Test func `no bridge on the bus is told by its name`() throws {
    let rig = ChipFixtureMaker.description(DRV2605LDescription(bridge: .cp2112, resonance: 175))
    guard case .usb(let device) = rig.drive.device else { return }
    let error = #expect(throws: DeviceError.self) {
      _ = try USBRig(rig, device: device, halves: .drive, on: FakeUSBBus())
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("a USB-I2C bridge CP2112 is not on the bus") == true)
  }

  @Test func `what no register holds is refused before anything is sent`() throws {
    var rig = ChipFixtureMaker.description(DRV2605LDescription(bridge: .mcp2221a, resonance: 175))
    rig.drive.fullScaleVolts = 40
    guard case .usb(let device) = rig.drive.device else { return }
    let error = #expect(throws: DeviceError.self) {
      _ = try USBRig(rig, device: device, halves: .drive, on: FakeUSBBus())
    }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("'full-scale'") == true)
  }

  @Test func `a DRV2605L does not feel`() throws {
    let rig = ChipFixtureMaker.description(DRV2605LDescription(bridge: .mcp2221a, resonance: 175))
    guard case .usb(let device) = rig.drive.device else { return }
    let error = #expect(throws: DeviceError.self) {
      _ = try USBRig(rig, device: device, on: FakeUSBBus())
    }
    #expect(error?.message.contains("feels nothing") == true)
  }
}
