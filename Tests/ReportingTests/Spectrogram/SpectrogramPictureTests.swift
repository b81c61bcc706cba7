// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing
import Units

@testable import Reporting

@Suite struct SpectrogramPictureTests {
  private func spectrogram(_ cells: [UInt8], columns: Int) -> TakeFigure.Spectrogram {
    TakeFigure.Spectrogram(
      name: "response", unit: .metrePerSecondSquared, frequencies: 0...40, top: 6, step: 2,
      columns: columns, cells: cells)
  }

  @Test func `the highest frequency is on top, the strongest the lightest`() {
    let picture = SpectrogramPicture(spectrogram: spectrogram([255, 225, 240, 255], columns: 2))
      .picture
    #expect(picture.width == 2)
    #expect(picture.pixels == [16, 31, 31, 0])
    let lightness = picture.palette.map { $0.reduce(0) { $0 + Int($1) } }
    #expect(lightness == lightness.sorted())
  }

  @Test func `the row that holds the most is said in words`() {
    let picture = SpectrogramPicture(spectrogram: spectrogram([225, 225, 255, 240], columns: 2))
    #expect(picture.description == "Spectrogram of the response, strongest about 30 Hz.")
    #expect(picture.key == "light 6 dB re 1 m/s², dark 60 dB less")
  }

  @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
  func `another reader finds the pixels that were written`() throws {
    let pixels = (0..<(37 * 21)).map { UInt8($0 * 7 % 32) }
    let picture = IndexedPicture(width: 37, pixels: pixels, palette: SpectrogramPicture.palette)
    let file = try #require(picture.png)
    // No filter or any filter: PNG (ISO/IEC 15948), clause 9, read by Python's zlib.
    let script = """
      import base64, struct, sys, zlib
      data = base64.b64decode(sys.stdin.read())
      assert data[:8] == b'\\x89PNG\\r\\n\\x1a\\n'
      place, chunks = 8, {}
      while place < len(data):
          size, name = struct.unpack('>I4s', data[place:place + 8])
          body = data[place + 8:place + 8 + size]
          assert struct.unpack('>I', data[place + 8 + size:place + 12 + size])[0] == zlib.crc32(name + body)
          chunks[name] = chunks.get(name, b'') + body
          place += 12 + size
      width, height, depth, colour = struct.unpack('>IIBB', chunks[b'IHDR'][:10])
      assert (depth, colour) == (8, 3), (depth, colour)
      raw, above, out = zlib.decompress(chunks[b'IDAT']), [0] * width, []
      for row in range(height):
          kind, line = raw[row * (width + 1)], list(raw[row * (width + 1) + 1:(row + 1) * (width + 1)])
          for x in range(width):
              left, up = (line[x - 1] if x else 0), above[x]
              corner = above[x - 1] if x else 0
              guess = left + up - corner
              paeth = min((abs(guess - v), i, v) for i, v in enumerate((left, up, corner)))[2]
              line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
          above = line
          out += line
      palette = chunks[b'PLTE']
      print(width, height, list(palette[:6]), ' '.join(map(str, out)))
      """
    let answer = try Python.run(script, input: Base64.text(of: file))
    #expect(
      answer
        == "37 21 [11, 11, 24, 18, 13, 37] \(pixels.map(String.init).joined(separator: " "))\n")
  }

  @Test func `a picture of nothing is none`() {
    #expect(IndexedPicture(width: 0, pixels: [], palette: SpectrogramPicture.palette).png == nil)
    #expect(IndexedPicture(width: 1, pixels: [200], palette: [[0, 0, 0]]).png == nil)
  }
}
