// SPDX-License-Identifier: Apache-2.0

import Bench
import Glibc
import ScratchFolder
import Testing

struct PatternSetTests {
  private func failure(_ paths: [String]) throws -> String {
    try #require(throws: InputError.self) { try PatternSet.expand(paths) }.description
  }

  @Test func `a folder gives its AHAP files by name, and no others`() throws {
    let scratch = try ScratchFolder()
    for name in ["b.ahap", "B.ahap", "a10.ahap", "a2.ahap", "c.txt", ".hidden.ahap", "ahap"] {
      try scratch.write("{}", to: name)
    }
    _ = try scratch.folder("below")
    try scratch.write("{}", to: "below/d.ahap")
    let found = try PatternSet.expand([scratch.path])
    #expect(found.map(\.name) == ["B", "a10", "a2", "b"])
    #expect(found.map(\.path) == found.map { "\(scratch.path)/\($0.name).ahap" })
    #expect(try PatternSet.expand([scratch.path + "/"]) == found)
  }

  @Test func `files and folders keep the order in which they were named`() throws {
    let scratch = try ScratchFolder()
    _ = try scratch.folder("set")
    for name in ["z.ahap", "set/a.ahap", "set/b.ahap"] { try scratch.write("{}", to: name) }
    let paths = [scratch.path + "/z.ahap", scratch.path + "/set"]
    #expect(try PatternSet.expand(paths).map(\.name) == ["z", "a", "b"])
    #expect(try PatternSet.expand(paths.reversed()).map(\.name) == ["a", "b", "z"])
  }

  @Test func `patterns that share a name are told apart`() throws {
    let scratch = try ScratchFolder()
    for folder in ["x", "y", "z"] { _ = try scratch.folder(folder) }
    for name in ["x/tap.ahap", "y/tap.ahap", "z/tap.ahap"] { try scratch.write("{}", to: name) }
    let paths = ["x", "y", "z"].map { "\(scratch.path)/\($0)" }
    #expect(try PatternSet.expand(paths).map(\.name) == ["tap", "tap-2", "tap-3"])
  }

  @Test func `a number that is put after a name does not make it another pattern's`() throws {
    let scratch = try ScratchFolder()
    for folder in ["x", "y"] { _ = try scratch.folder(folder) }
    for name in ["x/tap.ahap", "x/tap-2.ahap", "y/tap.ahap", "y/tap-2.ahap"] {
      try scratch.write("{}", to: name)
    }
    for paths in [["x", "y"], ["y/tap.ahap", "x/tap.ahap", "x/tap-2.ahap"]] {
      let names = try PatternSet.expand(paths.map { "\(scratch.path)/\($0)" }).map(\.name)
      #expect(Set(names).count == names.count, "\(names)")
    }
  }

  @Test func `the same file twice is two patterns`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("{}", to: "tap.ahap")
    #expect(try PatternSet.expand([path, path]).map(\.name) == ["tap", "tap-2"])
  }

  @Test func `a file keeps its name whatever its ending`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("{}", to: "pattern.json")
    #expect(try PatternSet.expand([path]).map(\.name) == ["pattern.json"])
  }

  @Test func `a folder without patterns is one sentence that names it`() throws {
    let scratch = try ScratchFolder()
    try scratch.write("x", to: "readme.txt")
    let message = try failure([scratch.path])
    #expect(message.hasPrefix(scratch.path + ": "))
    #expect(message.contains("no AHAP file"))
  }

  @Test func `a path that leads nowhere is one sentence that names it`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/missing.ahap"
    #expect(try failure([path]) == "\(path): there is no such file or folder: check the path")
    let file = try scratch.write("{}", to: "file.ahap")
    #expect(try failure([file, path]).hasPrefix(path))
    #expect(symlink("nowhere", scratch.path + "/dangling") == 0)
    #expect(try failure([scratch.path + "/dangling"]).contains("no such file"))
  }

  @Test func `more patterns than one run takes are refused`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("{}", to: "tap.ahap")
    let most = [String](repeating: path, count: PatternSet.limit)
    #expect(try PatternSet.expand(most).count == PatternSet.limit)
    #expect(try failure(most + [path]).contains("\(PatternSet.limit + 1) files"))
  }
}
