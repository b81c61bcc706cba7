// SPDX-License-Identifier: Apache-2.0

import USBDevices

/// A DRV2605L as the data sheet's register table describes it, on a bus without bridge.
struct ModelDRV2605L {
  var registers = [UInt8](repeating: 0, count: 256)
  /// The period register while closed loop drives.
  var resonanceCode: UInt8 = 58
  /// Reads of GO that show it busy.
  var busyReads = 3
  var fails = false
  /// Nobody answers: no supply.
  var isAbsent = false
  private(set) var writes: [[UInt8]] = []
  private var busyLeft = 0

  init() {
    for register in DRV2605LRegister.allCases {
      registers[Int(register.rawValue)] = register.resetValue
    }
  }

  subscript(_ register: DRV2605LRegister) -> UInt8 {
    get { registers[Int(register.rawValue)] }
    set { registers[Int(register.rawValue)] = newValue }
  }

  /// Whether the output drives: a running mode, not in standby, with something to drive.
  var isDriving: Bool {
    guard self[.mode] & 0xc0 == 0 else { return false }
    switch self[.mode] & 7 {
    case 5: return self[.realTimePlayback] != 0
    default: return busyLeft > 0
    }
  }

  /// Takes a write of a register's number and values; whether it is acknowledged.
  mutating func write(_ address: UInt8, _ bytes: [UInt8]) -> Bool {
    guard address == 0x5a, !isAbsent else { return false }
    guard let first = bytes.first else { return true }
    if bytes.count > 1 { writes.append(bytes) }
    for (offset, value) in bytes.dropFirst().enumerated() {
      registers[(Int(first) + offset) & 0xff] = value
      if Int(first) + offset == 0x01, value & 0x80 != 0 { registers[1] = 0x40 }
      if Int(first) + offset == 0x0c, value & 1 == 1 { busyLeft = busyReads }
    }
    return true
  }

  mutating func read(_ address: UInt8, _ register: UInt8, _ count: Int) -> [UInt8]? {
    guard address == 0x5a, !isAbsent else { return nil }
    return (0..<count).map { offset in
      let place = (Int(register) + offset) & 0xff
      if place == 0x0c, registers[place] == 1 {
        if busyLeft == 0 {
          registers[place] = 0
          self[.status] = fails ? 0xe8 : 0xe0
          if self[.mode] == 7 {
            self[.calibrationCompensation] = 0x0d
            self[.calibrationBackEMF] = 0x80
          }
        } else {
          busyLeft -= 1
        }
      }
      if place == 0x22 { return isDriving ? resonanceCode : 0 }
      if place == 0x21 { return isDriving ? 150 : 0 }
      return registers[place]
    }
  }
}

/// A bridge's far side: what comes in on a transfer, with a model on its bus.
protocol ModelBridge {
  var chip: ModelDRV2605L { get set }
  init()
  /// What the bridge sends in answer, packets in order.
  mutating func take(_ transfers: [BridgeTransfer]) -> [[UInt8]]
}

extension DRV2605LRegister {
  /// The value after a reset, as the data sheet's register table has it.
  var resetValue: UInt8 {
    switch self {
    case .status: 0xe0
    case .mode: 0x40
    case .realTimePlayback, .go, .battery, .resonancePeriod: 0x00
    case .library: 0x01
    case .ratedVoltage: 0x3e
    case .overdriveClamp: 0x8c
    case .calibrationCompensation: 0x0c
    case .calibrationBackEMF: 0x6c
    case .feedback: 0x36
    case .control1: 0x93
    case .control2: 0xf5
    case .control3: 0xa0
    case .control4: 0x20
    case .control5: 0x80
    case .openLoopPeriod: 0x33
    }
  }
}

extension DRV2605LCalibration {
  var backEMFVolts: Double {
    Double(backEMF) / 255 * 1.22 / [3.75, 7.5, 15, 22.5][Int(gain & 3)]
  }
}
