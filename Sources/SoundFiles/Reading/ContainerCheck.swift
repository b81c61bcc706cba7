// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Looks at a file before libsndfile does.
///
/// libsndfile reads a WAV or AIFF file that was cut as a shorter sound and says nothing; so the sizes in
/// the chunk headers are compared with the size of the file here. Codings that libsndfile does not know
/// get a sentence of their own.
struct ContainerCheck {
  let name: String
  let size: Int
  /// The bytes from an offset on, fewer where the file ends.
  private let bytes: (_ offset: Int, _ count: Int) -> [UInt8]

  /// Looks at an open file without moving its position.
  init(name: String, descriptor: Int32, size: Int) {
    self.name = name
    self.size = size
    bytes = { offset, count in
      [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
      }
    }
  }

  init(name: String, bytes: [UInt8]) {
    self.name = name
    size = bytes.count
    self.bytes = { Array(bytes.dropFirst($0).prefix($1)) }
  }

  func check() throws(SoundFileError) {
    guard size > 0 else {
      throw SoundFileError(.empty, path: name, "the file is empty: record or export it again")
    }
    let head = bytes(0, 4)
    switch text(head) {
    case "RIFF": try checkChunks(bigEndian: false, isLong: false)
    case "RF64": try checkChunks(bigEndian: false, isLong: true)
    case "RIFX", "FORM": try checkChunks(bigEndian: true, isLong: false)
    default: break
    }
  }

  /// What the file is, where libsndfile does not know it and `ForeignDecoder` does.
  var foreignCoding: String? {
    let head = bytes(0, 32)
    guard head.count >= 8 else { return nil }
    if text(head[4..<8]) == "ftyp" { return "an MP4 file (AAC or ALAC)" }
    // ADTS: twelve bits of one, any version, layer zero; MPEG audio has layers 1 to 3.
    if head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "AAC" }
    if text(head[0..<4]) == "ADIF" { return "AAC" }
    if head.count == 32, text(head[0..<4]) == "caff", text(head[28..<32]) == "aac " {
      return "AAC in a CAF file"
    }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "a Matroska or WebM file" }
    if text(head[0..<4]) == "RIFF", head.count >= 12, text(head[8..<12]) == "AVI " {
      return "an AVI file"
    }
    // Packets of 188 bytes that begin alike.
    if head[0] == 0x47, size > 376, bytes(188, 1) == [0x47], bytes(376, 1) == [0x47] {
      return "an MPEG transport stream"
    }
    if head.starts(with: [0x30, 0x26, 0xB2, 0x75]) { return "a Windows Media file" }
    return nil
  }

  /// Walks over the chunks and finds each inside the file.
  private func checkChunks(bigEndian: Bool, isLong: Bool) throws(SoundFileError) {
    func number(_ bytes: some Collection<UInt8>) -> Int {
      bigEndian
        ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let whole = number(bytes(4, 4))
    // Some writers leave the size of the whole at nothing or at its largest; then the chunks decide.
    let isSized = !isLong && whole != 0 && whole != 0xFFFF_FFFF
    // One byte of padding at the end is often counted and not written.
    guard !isSized || 8 + whole <= size + 1 else {
      throw truncated("the last \(8 + whole - size) of \(8 + whole) bytes are missing")
    }
    let end = isSized ? min(size, 8 + whole) : size
    var longSize: Int?
    var offset = 12
    var hasData = false
    while offset + 8 <= end {
      let header = bytes(offset, 8)
      guard header.count == 8 else { break }
      let identifier = text(header[0..<4])
      var length = number(header[4..<8])
      if isLong, identifier == "ds64" {
        let sizes = bytes(offset + 8, 24)
        if sizes.count == 24 { longSize = number(sizes[8..<16]) }
      }
      let isData = identifier == "data" || identifier == "SSND"
      if isData, length == 0xFFFF_FFFF {
        guard isLong, let longSize, longSize >= 0, longSize < Int.max / 2 else {
          throw SoundFileError(
            .truncated, path: name,
            "the header does not say how long the sound is, as if its writer had not finished: "
              + "write it again to a file, not a pipe")
        }
        length = longSize
      }
      guard !isData || offset + 8 + length <= size else {
        throw truncated(
          "\(offset + 8 + length - size) bytes of its sound data are missing")
      }
      hasData = hasData || isData
      offset += 8 + length + length % 2
    }
    guard hasData else { throw truncated("it has no sound data") }
  }

  /// How many frames a FLAC file's first block says it has: 36 bits of its bytes 21 to 25.
  static func flacFrames(_ descriptor: Int32) -> Int? {
    var head = [UInt8](repeating: 0, count: 26)
    guard pread(descriptor, &head, head.count, 0) == head.count,
      head.starts(with: Array("fLaC".utf8))
    else { return nil }
    return head[21...].reduce(0) { $0 << 8 | Int($1) } & (1 << 36 - 1)
  }

  private func truncated(_ lack: String) -> SoundFileError {
    SoundFileError(
      .truncated, path: name, "the file was cut: \(lack); copy or record it again")
  }

  private func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
