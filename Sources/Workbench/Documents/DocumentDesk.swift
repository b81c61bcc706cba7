// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import Devices
private import Glibc
import HapticClips
import JSONText
import Paths
import Reporting
import RunArchive
import Workflows

/// The patterns that can be edited, and those that are.
final class DocumentDesk: DocumentTexts {
  let folder: PatternFolder?
  /// Where drafts are whose pattern's folder cannot be written to; `nil` where there is no such place.
  private let drafts: String?
  private let open = Guarded<[(name: String, document: Document)]>([])
  private let library: PatternLibrary
  /// Told of each change: what plays a document plays it as it is now.
  private let listeners = Guarded<[@Sendable (String) -> Void]>([])
  /// Versions never begin twice with one number, so that no page takes one document for another.
  private let firstVersion: Int

  /// Documents that are kept in memory; the others are read again from their drafts.
  private static let mostOpen = 32

  init(folder: String?, drafts: String?) {
    self.folder = folder.map { PatternFolder(root: $0) }
    self.drafts = drafts
    library = PatternLibrary()
    firstVersion = Host.secondsSince1970 * 1000
  }

  func listen(_ listener: @escaping @Sendable (String) -> Void) {
    listeners.withLock { $0.append(listener) }
  }

  // MARK: - Requests

  func list() throws(HTTPFault) -> Response {
    let folder = try place()
    let rows = library.rows(of: folder) { draftPath(of: $0) }
    return Response(
      .object(of: [
        "patterns": rows.filter { !$0.isTemplate }.map(\.json),
        "templates": rows.filter(\.isTemplate).map(\.json),
        "canWrite": access(folder.root, W_OK) == 0,
      ]))
  }

  /// Makes a pattern: empty, or from another one, a text, or a clip.
  func make(_ request: Request) throws -> Response {
    let json = try request.json()
    let folder = try place()
    guard let wish = try Request.text("name", in: json) else {
      throw HTTPFault(400, "bad-value", "'name' is to be the new pattern's name")
    }
    let name = try newName(wish, in: folder)
    try AtomicFile.write(try content(json, of: name), to: folder.path(of: name))
    return Response(["name": .string(name)], status: 201)
  }

  private func content(_ json: JSONValue, of name: String) throws -> [UInt8] {
    if let from = try Request.text("from", in: json) { return try document(from).now.text.bytes }
    if let clip = try Request.text("clip", in: json) {
      do throws(HapticClipError) {
        let clip = try HapticClipReader.read(Array(clip.utf8), fileName: name + ".haptic")
        return Array(AHAPWriter.text(PatternsFromClip(clip).files[0].pattern).utf8)
      } catch {
        throw HTTPFault(422, "clip", "\(error)")
      }
    }
    guard let text = try Request.text("text", in: json) else {
      return Array("{\n  \"Version\": 1.0,\n  \"Pattern\": []\n}\n".utf8)
    }
    let bytes = Array(text.utf8)
    if let broken = PatternText(bytes, fileName: name + ".ahap").broken {
      throw HTTPFault(422, "broken", broken.message)
    }
    return bytes
  }

  func show(_ request: Request) throws -> Response {
    Response(try document(request.parameter("name")).json())
  }

  func edit(_ request: Request) throws -> Response {
    let json = try request.json()
    let batch: Batch
    do throws(OperationError) {
      batch = try Batch(json)
    } catch {
      throw HTTPFault(422, "operation", "\(error)")
    }
    return try step(request, json, .batch(batch))
  }

  func undo(_ request: Request) throws -> Response { try step(request, try request.json(), .undo) }

  func redo(_ request: Request) throws -> Response { try step(request, try request.json(), .redo) }

  private func step(
    _ request: Request, _ json: JSONValue, _ step: Document.Request
  ) throws -> Response {
    let document = try document(request.parameter("name"))
    let answer = try document.take(step, base: try Self.base(json))
    tell(document.name)
    return Response(answer)
  }

  func save(_ request: Request) throws -> Response {
    let json = try request.json()
    let document = try document(request.parameter("name"))
    guard let wish = try Request.text("as", in: json), wish != document.name else {
      return Response(try document.save(base: try Self.base(json)))
    }
    let folder = try place()
    let name = try newName(wish, in: folder)
    let (text, version) = document.now
    guard version == (try Self.base(json)) else {
      throw HTTPFault(409, "stale", "the document was changed: its version is \(version)")
    }
    try AtomicFile.write(text.bytes, to: folder.path(of: name))
    return Response(["name": .string(name), "saved": true], status: 201)
  }

  func resolve(_ request: Request) throws -> Response {
    let document = try document(request.parameter("name"))
    let answer: JSONValue
    switch try Request.text("take", in: try request.json()) {
    case "mine": answer = try document.resolve(takingTheirs: false)
    case "theirs": answer = try document.resolve(takingTheirs: true)
    default: throw HTTPFault(400, "bad-value", "'take' is 'mine' or 'theirs'")
    }
    tell(document.name)
    return Response(answer)
  }

  /// Takes a sound's file into the patterns' folder.
  func receiveSound(_ request: Request) throws -> SoundUpload {
    try SoundUpload(
      request.parameter("name"), into: try place(),
      replacing: try request.integer("replace", in: 0...1, or: 0) == 1)
  }

  // MARK: - Documents

  func text(of name: String) throws -> (text: PatternText, version: Int, path: String) {
    let document = try document(name)
    document.look()
    let (text, version) = document.now
    return (text, version, try place().path(of: document.name))
  }

  /// The document of a name, opened where it is not yet.
  func document(_ text: String) throws -> Document {
    let folder = try place()
    let name = try folder.name(text)
    return try open.withLock { open throws -> Document in
      if let place = open.firstIndex(where: { $0.name == name }) {
        let found = open.remove(at: place)
        open.append(found)
        return found.document
      }
      guard
        let document = try Document(
          name, in: folder, draft: draftPath(of: name), version: firstVersion)
      else { throw HTTPFault(404, "no-such-pattern", "there is no pattern '\(name)'") }
      open.append((name, document))
      if open.count > Self.mostOpen { open.removeFirst() }
      return document
    }
  }

  /// The version of a document that somebody looks at, and what is to be told of it; `nil` where it is gone.
  func look(_ name: String, onDisk: Bool) -> (version: Int, notice: String?)? {
    guard let document = try? document(name) else { return nil }
    if onDisk { document.look() }
    return document.newest
  }

  /// What is done from time to time: drafts come to the disk.
  func rest() { for (_, document) in open.withLock({ $0 }) { document.sync() } }

  /// The name of a pattern that is to be made, where it can be.
  private func newName(_ wish: String, in folder: PatternFolder) throws(HTTPFault) -> String {
    let name = try folder.name(wish)
    guard folder.stamp(of: name) == nil, !DraftFile.exists(draftPath(of: name)) else {
      throw HTTPFault(409, "exists", "there is a pattern '\(name)' already")
    }
    try folder.checkWritable(name)
    return name
  }

  private func tell(_ name: String) {
    for listener in listeners.withLock({ $0 }) { listener(name) }
  }

  private func place() throws(HTTPFault) -> PatternFolder {
    guard let folder else {
      throw HTTPFault(
        404, "no-patterns",
        "the workbench was started without a folder of patterns: name one with --patterns")
    }
    return folder
  }

  /// Beside the pattern, hidden; elsewhere only where its folder cannot be written to.
  private func draftPath(of name: String) -> String {
    guard let folder else { return "" }
    let path = folder.path(of: name)
    let beside = FilePath.join(
      FilePath.folder(of: path), "." + FilePath.name(of: path) + ".draft")
    guard let drafts, !folder.canWrite(name) else { return beside }
    let flat = name.replacing("%", with: "%25").replacing("/", with: "%2F")
    return drafts + "/" + flat + ".ahap.draft"
  }

  private static func base(_ json: JSONValue) throws(HTTPFault) -> Int {
    guard let base = json["base"]?.integer else {
      throw HTTPFault(400, "bad-value", "'base' is to be the version that is edited")
    }
    return base
  }
}
