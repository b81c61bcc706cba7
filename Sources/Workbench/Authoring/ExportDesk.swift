// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
private import Glibc
import HapticClips
import HapticRendering
import JSONText
import Reporting
import SoundFiles
import Units
import Workflows

/// A document as other programs take it, as the commands write it.
struct ExportDesk: Sendable {
  let documents: DocumentShelf
  let actuators: ActuatorShelf
  let jobs: JobDesk

  /// The most that the fragment of an address may hold.
  static let longestFragment = 8 << 10
  /// A sound of more seconds is not made here: it would be held in memory.
  private static let longestSound = 300.0

  func export(_ request: Request) throws -> Response {
    let name = request.parameter("name")
    let (text, _, path) = try documents.texts.text(of: name)
    let bytes = text.bytes
    let file = DocumentShelf.shortName(of: name)
    switch try request.value("as") {
    case "ahap":
      return Response(200, bytes, type: "application/json").kept(as: file + ".ahap")
    case "apple":
      let read = try Self.read(bytes, path)
      return Response(
        200, Array(AHAPWriter.text(AppleExport(read).pattern).utf8)
      ).kept(as: file + ".ahap")
    case "haptic":
      let read = try Self.read(bytes, path)
      let clip: ClipFromPatterns
      do throws(ClipConversionError) {
        clip = try ClipFromPatterns([read])
      } catch {
        throw HTTPFault(422, "clip", "\(error)")
      }
      return Response(200, Array(HapticClipWriter.text(clip.clip).utf8)).kept(as: file + ".haptic")
    case "wav": return try wav(name).kept(as: file + ".wav")
    case "link": return try link(bytes)
    default:
      throw HTTPFault(400, "bad-value", "'as' takes apple, ahap, haptic, wav or link")
    }
  }

  /// As `export` and `convert` read it: events keep their length, for what splits them.
  private static func read(_ bytes: [UInt8], _ path: String) throws(HTTPFault) -> HapticPattern {
    do throws(AHAPError) {
      return try AHAPReader.read(
        bytes, fileName: path, options: AHAPOptions(limitsDurations: false)
      ).pattern
    } catch {
      throw HTTPFault(422, "pattern", error.diagnostic.message)
    }
  }

  private func wav(_ name: String) throws -> Response {
    let played = try actuators.actuator(rig: nil, nil)
    let document = try documents.read(name, rate: played.rate)
    guard document.pattern.timeline(under: played.configuration).end <= Self.longestSound else {
      throw HTTPFault(
        413, "too-long",
        "the pattern lasts longer than \(Int(Self.longestSound)) s: write it with 'haprig render'")
    }
    let scratch = try jobs.scratch()
    defer { JobFolder.remove(scratch) }
    let path = scratch + "/drive.wav"
    _ = try RenderWorkflow.write(
      document.pattern, configuration: played.configuration, to: path,
      by: RigOperator(version: ""))
    // It has no name any more when it is sent, and goes with the connection.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw HTTPFault(500, "runtime", "the sound cannot be kept") }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    return Response(file: OpenedFile(descriptor: descriptor, size: size), type: "audio/wav")
  }

  private func link(_ bytes: [UInt8]) throws(HTTPFault) -> Response {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes, options: .lenient)
    } catch {
      throw HTTPFault(422, "pattern", "the text is no JSON: \(error.message)")
    }
    // Base 64 as addresses take it (RFC 4648, 5), without what fills the end.
    let text = Base64.text(of: value.utf8(indent: nil)).replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    let fragment = "/patterns?link=" + text
    guard fragment.utf8.count <= Self.longestFragment else {
      throw HTTPFault(
        413, "too-long",
        "the pattern is too long for a link: it would have \(fragment.utf8.count) letters, and "
          + "\(Self.longestFragment) are the most that is passed on everywhere")
    }
    return Response(["fragment": .string(fragment)])
  }
}
