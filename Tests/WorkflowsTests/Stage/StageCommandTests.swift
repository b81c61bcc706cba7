// SPDX-License-Identifier: Apache-2.0

import JSONText
import SeededRandom
import Testing

@testable import Workflows

/// What a stage is told: commands, beats, and lines that are none.
struct StageCommandTests {
  private func order(_ line: String) throws -> StageOrder {
    try StageOrder(line: Array(line.utf8))
  }

  @Test func `each command is read, and said again without the pattern's text`() throws {
    let play = try order(
      #"{"do":"play","id":7,"ahap":"{}","name":"a/b.ahap","from":0.5,"to":2,"loop":true,"at":12.5}"#
    )
    #expect(
      play.command
        == .play(
          StageCommand.Play(
            id: 7, text: Array("{}".utf8), name: "a/b.ahap", from: 0.5, to: 2, isLooping: true)))
    #expect(play.at == 12.5)
    #expect(
      play.said.text(indent: nil)
        == #"{"do":"play","id":7,"name":"a/b.ahap","from":0.5,"to":2,"loop":true,"at":12.5}"#)
    #expect(
      try order(#"{"do":"play","ahap":"x"}"#).command
        == .play(
          StageCommand.Play(
            id: nil, text: [0x78], name: nil, from: 0, to: nil, isLooping: false)))
    #expect(try order(#"{"do":"stop"}"#).command == .stop)
    #expect(
      try order(#"{"do":"tap","intensity":1,"sharpness":0.25}"#).command
        == .tap(intensity: 1, sharpness: 0.25))
    #expect(
      try order(#"{"do":"touch","finger":-3,"intensity":0,"sharpness":1,"decay":0.5}"#).command
        == .touch(
          StageCommand.Touch(
            finger: .number(-3), intensity: 0, sharpness: 1, attack: nil, decay: 0.5)))
    #expect(
      try order(#"{"do":"lift","finger":"left"}"#).command == .lift(finger: .word("left")))
  }

  @Test(arguments: [
    ("tap", "column 1: "),
    ("{", "column 2: "),
    ("[1]", "column 1: a command must be an object"),
    (#"{"at":1}"#, "do is missing"),
    (#"{"do":"jump"}"#, "column 7: do is 'jump', but must be one of: play, stop, tap, touch, lift"),
    (#"{"do":"stop","now":1}"#, "'now' is no key of a command: known are do, at"),
    (#"{"do":"tap","do":"tap","intensity":1,"sharpness":1}"#, "is there twice"),
    (#"{"do":"tap","intensity":1}"#, "sharpness is missing"),
    (#"{"do":"tap","intensity":1.5,"sharpness":1}"#, "intensity is 1.5, and goes from 0 to 1"),
    (#"{"do":"tap","intensity":"x","sharpness":1}"#, "intensity must be a number"),
    (#"{"do":"touch","finger":1.5,"intensity":1,"sharpness":1}"#, "finger must be a whole number"),
    (#"{"do":"touch","finger":1,"intensity":1,"sharpness":1,"attack":2}"#, "attack is 2.0"),
    (#"{"do":"lift"}"#, "finger is missing"),
    (#"{"do":"play"}"#, "ahap is missing"),
    (#"{"do":"play","ahap":{}}"#, "ahap must be a string"),
    (#"{"do":"play","ahap":"{}","from":2,"to":1}"#, "to is 1.0 s, and has to be later than 'from'"),
    (#"{"do":"play","ahap":"{}","from":-1}"#, "from is -1.0 s"),
    (#"{"do":"play","ahap":"{}","from":1e9}"#, "a pattern goes from 0 to 900 s"),
    (#"{"do":"play","ahap":"{}","loop":1}"#, "loop must be true or false"),
    (#"{"do":"play","ahap":"{}","id":"a"}"#, "id must be a whole number"),
    (#"{"do":"stop","at":-1}"#, "at is no time of a clock"),
  ])
  func `a bad line is told in a sentence with its place`(line: String, sentence: String) {
    do {
      _ = try order(line)
      Issue.record("'\(line)' was read")
    } catch {
      #expect("\(error)".hasPrefix("column "), "\(error)")
      #expect("\(error)".contains(sentence), "\(error)")
    }
  }

  @Test(arguments: 0..<50)
  func `lines and beats are the same however the bytes come`(index: Int) {
    var random = SeededRandom(seed: 0x57a9_0000 + UInt64(index))
    var bytes: [UInt8] = []
    var expected: [String] = []
    for number in 0..<20 {
      for _ in 0..<random.integer(0...3) { bytes.append(UInt8(ascii: ".")) }
      if random.chance(0.3) { bytes.append(UInt8(ascii: "\n")) }
      guard random.chance(0.7) else { continue }
      // A point inside a line is part of it.
      let text = "{\"number\":\(number).5}"
      expected.append(text)
      bytes += Array((text + (random.chance(0.5) ? "\r\n" : "\n")).utf8)
    }
    var input = StageInput(at: 0)
    var read: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(random.integer(1...9))
      rest = rest.dropFirst(part.count)
      for event in input.take(Array(part), at: 0) {
        guard case .line(let line, _, _) = event else { continue }
        read.append(String(decoding: line, as: UTF8.self).replacing("\r", with: ""))
      }
    }
    #expect(read == expected, "\(random)")
  }

  @Test func `a line that is too long is passed over, and the next one is read`() {
    var input = StageInput(at: 0)
    let part = [UInt8](repeating: 0x78, count: 1 << 20)
    var events: [StageInput.Event] = []
    for _ in 0..<9 { events += input.take(part, at: 0) }
    events += input.take(Array("x\nnext\n".utf8), at: 0)
    #expect(events == [.tooLong, .line(Array("next".utf8), at: 0, isHeld: false)])
  }

  @Test func `the first beat has 2 s, a later one 500 ms, and a command is none`() {
    var input = StageInput(at: 100)
    _ = input.take(nil, at: 101.9)
    #expect(input.reason == nil)
    #expect(
      input.take(Array("{}\n".utf8), at: 101.95)
        == [.line(Array("{}".utf8), at: 101.95, isHeld: false)])
    _ = input.take(Array(".\n".utf8), at: 101.96)
    #expect(
      input.take(Array("{}\n".utf8), at: 102.4)
        == [.line(Array("{}".utf8), at: 102.4, isHeld: true)])
    #expect(input.reason == nil)
    _ = input.take(Array("{}\n".utf8), at: 102.47)
    #expect(input.reason == .silence)
    var ended = StageInput(at: 0)
    _ = ended.take([UInt8(ascii: ".")], at: 0.1)
    _ = ended.take([], at: 0.2)
    #expect(ended.reason == .end)
  }
}
