// SPDX-License-Identifier: Apache-2.0

import USBDevices

func usbDevices() throws {
  let hello = BoardPacket(sequence: 1, .hello(session: 7))
  let bytes = try hello.bytes()
  print("\(bytes.count) bytes")

  // A stream that begins in the middle of something, cut in two.
  var decoder = BoardDecoder()
  let stream = [0xFF, 0x48, 0x00] + bytes
  for part in [stream.prefix(9), stream.dropFirst(9)] {
    for event in decoder.append(part) {
      switch event {
      case .skipped(let count): print("skipped \(count) bytes")
      case .packet(let packet): print("it came back:", packet == hello)
      case .unreadable(let kind, _, let error): print("kind \(kind):", error)
      case .damaged(let error): print("damaged:", error)
      }
    }
  }
}
