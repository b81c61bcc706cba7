// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder
import Testing

@testable import Bench

/// Where sounds may be read from: a bundle, the pattern's folder, and nothing a path can sneak to.
struct SoundFolderTests {
  /// A bundle, a pattern's folder and an outside folder, each with a file of its own.
  private struct Place {
    let scratch: ScratchFolder
    let bundle: String
    let beside: String
    let outside: String

    init() throws {
      scratch = try ScratchFolder()
      bundle = try scratch.folder("bundle")
      beside = try scratch.folder("patterns")
      outside = try scratch.folder("outside")
      _ = try scratch.folder("bundle/sounds")
      for file in ["bundle/sounds/in.wav", "patterns/near.wav", "outside/secret.wav"] {
        try scratch.write(file, to: file)
      }
    }

    func folder(allowed: [String] = []) -> SoundFolder {
      SoundFolder(bundle: bundle, patternFolder: beside, allowed: allowed)
    }

    /// What the file that was found holds; `nil` where none was.
    func content(_ path: String, allowed: [String] = []) throws -> String? {
      guard let file = try folder(allowed: allowed).open(path) else { return nil }
      return String(decoding: try file.bytes(limit: 1000), as: UTF8.self)
    }

    func refusal(_ path: String, allowed: [String] = []) throws -> String {
      try #require(throws: InputError.self) { try content(path, allowed: allowed) }.description
    }
  }

  @Test func `a path is looked for below the bundle`() throws {
    #expect(try Place().content("sounds/in.wav") == "bundle/sounds/in.wav")
  }

  @Test func `a sound is found by its last component beside the pattern`() throws {
    let place = try Place()
    #expect(try place.content("near.wav") == "patterns/near.wav")
    #expect(try place.content("sounds/near.wav") == "patterns/near.wav")
  }

  @Test func `the bundle comes before the pattern's folder`() throws {
    let place = try Place()
    try place.scratch.write("bundle first", to: "bundle/near.wav")
    #expect(try place.content("near.wav") == "bundle first")
  }

  @Test func `a sound that is nowhere is missing, not refused`() throws {
    let place = try Place()
    #expect(try place.content("nowhere.wav") == nil)
    #expect(try place.content("no/such/folder/nowhere.wav") == nil)
  }

  @Test(arguments: [
    "../outside/secret.wav", "sounds/../../outside/secret.wav", "../../../../etc/passwd",
    "/etc/passwd", "../nothing/there.wav", "/nothing/there.wav", "..",
  ])
  func `a path out of the folder is refused, whether it leads somewhere or not`(
    path: String
  ) throws {
    let message = try Place().refusal(path)
    #expect(message.contains("'\(path)'"))
    #expect(message.contains("--allow-path"))
  }

  @Test func `an absolute path is refused though it is written out`() throws {
    let place = try Place()
    _ = try place.refusal(place.outside + "/secret.wav")
  }

  @Test func `a link out of the folder is refused`() throws {
    let place = try Place()
    #expect(symlink("../outside/secret.wav", place.bundle + "/link.wav") == 0)
    _ = try place.refusal("link.wav")
    #expect(symlink(place.outside, place.bundle + "/folder") == 0)
    _ = try place.refusal("folder/secret.wav")
    #expect(symlink("../outside/secret.wav", place.beside + "/other.wav") == 0)
    _ = try place.refusal("other.wav")
  }

  @Test func `a link that stays inside is followed`() throws {
    let place = try Place()
    #expect(symlink("sounds/in.wav", place.bundle + "/alias.wav") == 0)
    #expect(try place.content("alias.wav") == "bundle/sounds/in.wav")
    #expect(symlink("../patterns/near.wav", place.bundle + "/across.wav") == 0)
    #expect(try place.content("across.wav") == "patterns/near.wav")
  }

  @Test func `a folder whose name merely begins like the bundle's is outside`() throws {
    let place = try Place()
    _ = try place.scratch.folder("bundle-private")
    try place.scratch.write("x", to: "bundle-private/secret.wav")
    #expect(symlink("../bundle-private/secret.wav", place.bundle + "/link.wav") == 0)
    _ = try place.refusal("link.wav")
    _ = try place.refusal("../bundle-private/secret.wav", allowed: [place.bundle])
  }

  @Test func `a folder that is allowed by name may be read, however it is reached`() throws {
    let place = try Place()
    let allowed = [place.outside]
    let secret = "outside/secret.wav"
    #expect(try place.content("../outside/secret.wav", allowed: allowed) == secret)
    #expect(try place.content(place.outside + "/secret.wav", allowed: allowed) == secret)
    #expect(symlink("../outside/secret.wav", place.bundle + "/link.wav") == 0)
    #expect(try place.content("link.wav", allowed: allowed) == secret)
    _ = try place.refusal("../../../../etc/passwd", allowed: allowed)
  }

  @Test func `a link from an allowed folder to elsewhere is refused`() throws {
    let place = try Place()
    #expect(symlink("/etc/passwd", place.outside + "/link.wav") == 0)
    _ = try place.refusal(place.outside + "/link.wav", allowed: [place.outside])
  }

  @Test func `a folder or a pipe under a sound's name is refused without waiting`() throws {
    let place = try Place()
    _ = try place.scratch.folder("bundle/folder.wav")
    #expect(mkfifo(place.bundle + "/pipe.wav", 0o600) == 0)
    #expect(throws: InputError.self) { try place.content("folder.wav") }
    #expect(throws: InputError.self) { try place.content("pipe.wav") }
  }
}
