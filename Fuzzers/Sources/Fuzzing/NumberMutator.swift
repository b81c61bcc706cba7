// SPDX-License-Identifier: Apache-2.0

import CLibFuzzer

/// Changes an input for the next run: as libFuzzer does, but now and then by writing another number
/// in a number's place, as numbers at the edge of what can be held are rarely met by changing digits.
@c(LLVMFuzzerCustomMutator)
public func mutate(
  _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  guard seed % 4 == 0 else { return LLVMFuzzerMutate(data, size, maximum) }
  let places = numbers(in: UnsafeBufferPointer(start: data, count: size))
  guard !places.isEmpty else { return LLVMFuzzerMutate(data, size, maximum) }
  let choice = Int(seed / 4)
  let place = places[choice % places.count]
  let number = edges[choice / places.count % edges.count].utf8
  let changed = size - place.count + number.count
  guard changed <= maximum else { return LLVMFuzzerMutate(data, size, maximum) }
  let rest = Array(UnsafeBufferPointer(start: data, count: size)[place.upperBound...])
  for (index, byte) in (Array(number) + rest).enumerated() {
    data[place.lowerBound + index] = byte
  }
  return changed
}

/// Numbers at the edges: of signs, ranges, durations, integers, frames and doubles.
private let edges = [
  "0", "-0", "1", "-1", "0.5", "2", "-1e-9", "0.001", "0.02", "1e-7", "29.999", "30", "31", "1000",
  "2147483648", "4503599627370496", "9007199254740993", "9223372036854775807",
  "9223372036854775808", "1e17", "1e300", "1.7976931348623157e308", "1.8e308", "-1e300", "5e-324",
  "2.2250738585072014e-308", "1e-400", "0.30000000000000004", "1.0", "1.5", "7e0",
]

/// The runs of characters that numbers are made of, from a digit or a sign on.
private func numbers(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
  var places: [Range<Int>] = []
  var at = 0
  while at < bytes.count {
    guard isDigit(bytes[at]) || bytes[at] == UInt8(ascii: "-") else {
      at += 1
      continue
    }
    let start = at
    while at < bytes.count, isDigit(bytes[at]) || "+-.eE".utf8.contains(bytes[at]) { at += 1 }
    places.append(start..<at)
  }
  return places
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
