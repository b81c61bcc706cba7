// SPDX-License-Identifier: Apache-2.0

import USBDevices

/// An FT232H whose MPSSE moves two lines, and a slave that watches nothing but those lines.
struct ModelFT232H: ModelBridge {
  var chip: ModelDRV2605L {
    get { bus.chip }
    set { bus.chip = newValue }
  }
  private var bus = WatchedBus()
  private(set) var divisor = 0
  /// Starts and stops seen on the lines.
  var conditions: [String] { bus.conditions }

  mutating func take(_ transfers: [BridgeTransfer]) -> [[UInt8]] {
    var output: [UInt8] = []
    for transfer in transfers {
      switch transfer {
      case .bulk(let bytes): output += run(bytes)
      case .control(0x0b, 0x0200, _): bus.set(clock: true, data: true)
      default: break
      }
    }
    return [[0x32, 0x60] + output]
  }

  private mutating func run(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var place = 0
    func argument(_ offset: Int) -> UInt8 {
      place + offset < bytes.count ? bytes[place + offset] : 0
    }
    while place < bytes.count {
      switch bytes[place] {
      case 0x80:
        bus.set(clock: argument(1) & 1 != 0, data: argument(1) & 2 != 0)
        place += 3
      case 0x11:
        for bit in 0..<8 { bus.clock(data: argument(3) >> (7 - bit) & 1 == 1) }
        place += 4
      case 0x13:
        bus.clock(data: argument(2) & 0x80 != 0)
        place += 3
      case 0x20:
        var value: UInt8 = 0
        for _ in 0..<8 { value = value << 1 | (bus.clock(data: true) ? 1 : 0) }
        output.append(value)
        place += 3
      case 0x22:
        // The bits above the one read are whatever they were.
        output.append(0xfa & 0xfe | (bus.clock(data: true) ? 1 : 0))
        place += 2
      case 0x86:
        divisor = Int(argument(1)) | Int(argument(2)) << 8
        place += 3
      case 0x9e: place += 3
      case 0x85, 0x87, 0x8a, 0x8c, 0x97: place += 1
      default:
        output += [0xfa, bytes[place]]
        place += 1
      }
    }
    return output
  }
}

/// Two open-drain lines and a slave on them, which knows of a start, a stop and eight bits with an acknowledge.
private struct WatchedBus {
  var chip = ModelDRV2605L()
  var conditions: [String] = []
  private var clockLevel = true
  private var dataLevel = true
  private var bits = 0
  private var shift: UInt8 = 0
  private var received: [UInt8] = []
  private var reading: [UInt8] = []
  private var isReading = false
  private var pointer: UInt8 = 0
  private var isActive = false

  /// Moves both lines, data before clock where the clock is low, as pins do.
  mutating func set(clock: Bool, data: Bool) {
    if clockLevel && clock && data != dataLevel {
      if data { stop() } else { start() }
    }
    clockLevel = clock
    dataLevel = data
  }

  private mutating func start() {
    conditions.append("start")
    if isActive, let register = received.dropFirst().first { pointer = register }
    isActive = true
    bits = 0
    received = []
    isReading = false
  }

  private mutating func stop() {
    conditions.append("stop")
    if isActive, !isReading, received.count > 1 {
      _ = chip.write(received[0] >> 1, Array(received.dropFirst()))
    }
    isActive = false
  }

  /// One clock pulse; the line's level in it, low where either side pulls.
  @discardableResult
  mutating func clock(data: Bool) -> Bool {
    guard isActive else { return data }
    bits += 1
    if bits == 9 {
      bits = 0
      if isReading && received.count > 1 {
        received.append(0)
        return data
      }
      let heard = received.first.map { $0 >> 1 == 0x5a && !chip.isAbsent } ?? false
      if received.count == 1, received[0] & 1 == 1 {
        isReading = true
        reading = chip.read(received[0] >> 1, pointer, 16) ?? []
        received.append(0)
      }
      return !heard
    }
    if isReading {
      let place = received.count - 2
      let byte = place < reading.count ? reading[place] : 0xff
      return byte >> (8 - bits) & 1 == 1 && data
    }
    shift = shift << 1 | (data ? 1 : 0)
    if bits == 8 { received.append(shift) }
    return data
  }
}
