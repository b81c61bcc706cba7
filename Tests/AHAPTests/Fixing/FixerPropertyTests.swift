// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom
import Testing

/// Whatever is wrong with a file, its fixes keep their promises.
struct FixerPropertyTests {
  private static let choices: [Set<FixKind>] = [
    [.safe], [.safe, .clamp], [.safe, .rebase], [.safe, .letterCase], [.safe, .names],
    Set(FixKind.allCases),
  ]

  @Test(arguments: choices.indices)
  func `a damaged file is mended to what it means`(choice: Int) throws {
    let kinds = Self.choices[choice]
    for seed in 0..<80 {
      var random = SeededRandom(seed: UInt64(seed) << 8 | UInt64(choice))
      let start = random
      let file = SloppyFile(&random, kinds: kinds)
      let note: Comment = "\(start) \(kinds.map(\.rawValue).sorted())\n\(file.text)"
      let fixed: FixedText
      do {
        fixed = try AHAPFixer.fixed(Array(file.text.utf8), kinds: kinds)
      } catch {
        Issue.record("\(error.description) \(note)")
        continue
      }
      let strict = try AHAPReader.read(fixed.bytes, options: AHAPOptions(mode: .strict))
      let mended = String(decoding: fixed.bytes, as: UTF8.self)
      #expect(
        strict.diagnostics.filter { !kinds.isDisjoint(with: $0.code.fixKinds) } == [],
        "\(note.rawValue)\n\(mended)")
      #expect(
        Played(strict.pattern) == Played(file.ordered), "\(note.rawValue)\n\(mended)")
      let again = try AHAPFixer.fixed(fixed.bytes, kinds: kinds)
      #expect(again.applied.isEmpty && again.bytes == fixed.bytes, note)
    }
  }

  // Texts from which parts were taken, doubled or swapped: most of them read, few make sense.
  @Test func `a shredded file is refused, or mended for good as far as it can be`() throws {
    var random = SeededRandom(seed: 0x5eed_f1c5)
    let sources = (DiagnosticTests.entries + DiagnosticTests.details).map(\.bytes).filter {
      (try? AHAPReader.read($0)) != nil
    }
    var mendedCount = 0
    for _ in 0..<800 {
      let start = random
      let bytes = Self.shredded(sources[random.integer(0...sources.count - 1)], &random)
      let kinds = Self.choices[random.integer(0...Self.choices.count - 1)]
      let note: Comment = "\(start)\n\(String(decoding: bytes, as: UTF8.self))"
      do {
        let fixed = try AHAPFixer.fixed(bytes, kinds: kinds)
        mendedCount += fixed.applied.isEmpty ? 0 : 1
        // Strictly: what no fix can mend is left out.
        let strict = AHAPOptions(mode: .strict)
        let pattern = try AHAPReader.read(fixed.bytes, options: strict).pattern
        let again = try AHAPFixer.fixed(fixed.bytes, kinds: kinds)
        #expect(again.applied.isEmpty && again.bytes == fixed.bytes, note)
        if let before = try? AHAPReader.read(bytes).pattern,
          kinds.allSatisfy(\.keepsWhatIsFelt)
        {
          #expect(Played(pattern) == Played(before), note)
        }
        // Each fix stands for itself: applied alone it leaves a text that is JSON.
        for fix in try AHAPFixer.fixes(for: bytes, kinds: kinds) {
          #expect(
            throws: Never.self, "\(fix) \(note.rawValue)",
            performing: { _ = try AHAPFixer.fixes(for: Self.applied(fix, to: bytes)) })
        }
      } catch let error as FixError {
        guard case .unreadable = error else {
          Issue.record("\(error.description) \(note)")
          continue
        }
      }
    }
    #expect(mendedCount > 100)
  }

  private static func applied(_ fix: Fix, to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for edit in fix.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
    }
    return bytes
  }

  /// Doubles, removes or replaces runs between commas and braces.
  private static func shredded(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var tokens: [[UInt8]] = [[]]
    for byte in bytes {
      if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
        tokens += [[byte], []]
      } else {
        tokens[tokens.count - 1].append(byte)
      }
    }
    let names = ["Time", "time", "ParameterID", "Pattern", "EventDuration", "Version", "Event"]
    for _ in 0..<random.integer(1...3) {
      let place = random.integer(0...tokens.count - 1)
      switch random.integer(0...4) {
      case 0: tokens.insert(contentsOf: [Array(",".utf8), tokens[place]], at: place + 1)
      case 1: tokens[place] = tokens[random.integer(0...tokens.count - 1)]
      case 2:
        let text = String(decoding: tokens[place], as: UTF8.self)
        let flipped = text.map { $0.isUppercase ? $0.lowercased() : String($0) }.joined()
        tokens[place] = Array(flipped.utf8)
      case 3:
        let name = names[random.integer(0...names.count - 1)]
        tokens[place] += Array(", \"\(name)\": \(random.integer(-2...40))".utf8)
      default:
        let text = String(decoding: tokens[place], as: UTF8.self)
        tokens[place] = Array(text.replacing(/[0-9.]+/, with: { _ in "-3.5e1" }).utf8)
      }
    }
    return Array(tokens.joined())
  }
}

extension SloppyFile {
  /// The truth with its entries ranked as a file would have them.
  fileprivate var ordered: HapticPattern {
    var pattern = truth
    for index in pattern.events.indices { pattern.events[index].order = index }
    for index in pattern.parameters.indices { pattern.parameters[index].order = 100 + index }
    for index in pattern.curves.indices { pattern.curves[index].order = 200 + index }
    return pattern
  }
}
