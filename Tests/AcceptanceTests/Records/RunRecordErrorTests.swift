// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing

@Suite struct RunRecordErrorTests {
  /// Changes the text of a small record in one place and gives the error of reading it.
  private func error(
    replacing old: String, with new: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> RunRecordError {
    let text = RunRecordJSONTests.smallest.text
    #expect(text.contains(old), "the sample record has no \(old)", sourceLocation: sourceLocation)
    let changed = text.replacing(old, with: new, maxReplacements: 1)
    return try #require(
      #expect(throws: RunRecordError.self, sourceLocation: sourceLocation) {
        _ = try RunRecord(parsing: Array(changed.utf8))
      }, sourceLocation: sourceLocation)
  }

  @Test func `a text that is not JSON is placed by line and column`() {
    let error = #expect(throws: RunRecordError.self) {
      _ = try RunRecord(parsing: Array("{\n \"schema\" 1}".utf8))
    }
    #expect(error?.position.line == 2)
    #expect(error?.description.hasPrefix("2:11: ") == true)
  }

  @Test func `a text that is no object says so`() {
    let error = #expect(throws: RunRecordError.self) {
      _ = try RunRecord(parsing: Array("[1]".utf8))
    }
    #expect(error?.description == "1:1: a record must be an object, but here is an array")
  }

  @Test func `a record of another schema is refused with both names`() throws {
    let error = try error(replacing: "haprig.run/1.1", with: "haprig.run/2")
    #expect(error.path == "schema")
    #expect(error.message.contains("'haprig.run/2'"))
    #expect(error.message.contains("'haprig.run/1'"))
  }

  @Test func `a schema whose number only begins alike is refused`() throws {
    #expect(try error(replacing: "haprig.run/1", with: "haprig.run/10").path == "schema")
  }

  @Test func `a missing field is named by its path`() throws {
    let error = try error(replacing: "\"patternFrame\"", with: "\"frame\"")
    #expect(
      error.message
        == "patterns[0].takes[0].patternFrame is missing: every record of this schema has it")
  }

  @Test func `a value of the wrong kind is named with both kinds`() throws {
    let error = try error(replacing: "\"value\": 1.5", with: "\"value\": \"1.5\"")
    #expect(error.path == "readings[0].value")
    #expect(error.message == "readings[0].value must be a number, but here is a string")
  }

  @Test func `null is not a way to leave a field out`() throws {
    let error = try error(replacing: "\"value\": 1.5", with: "\"value\": null")
    #expect(error.message == "readings[0].value must be a number, but here is null")
  }

  @Test func `an unknown verdict is answered with the valid ones`() throws {
    let error = try error(replacing: "\"verdict\": \"pass\"", with: "\"verdict\": \"good\"")
    #expect(
      error.message
        == "verdict is 'good', but must be one of: pass, marginal, not measured, fail")
  }

  @Test func `an unknown reading is refused by name`() throws {
    let error = try error(replacing: "\"name\": \"drift\"", with: "\"name\": \"wobble\"")
    #expect(error.message.contains("'wobble'"))
    #expect(error.path == "readings[0].name")
  }

  @Test func `a reading in another unit than its own is refused`() throws {
    let error = try error(replacing: "\"ppm\"", with: "\"s\"")
    #expect(error.message == "readings[0].unit is 's', but drift is kept in 'ppm'")
  }

  @Test func `a plan that repeats no pattern is refused`() throws {
    let error = try error(replacing: "\"repeats\": 1", with: "\"repeats\": 0")
    #expect(error.message == "plan.repeats must be at least 1")
  }

  @Test func `a limit without a bound is answered with the valid shapes`() throws {
    let error = try error(
      replacing: "\"limits\": []", with: "\"limits\": [{\"reading\":\"drift\",\"required\":true}]")
    #expect(error.path == "plan.limits[0]")
    #expect(error.message.contains("'below', 'above', 'within' or 'bands'"))
  }

  @Test func `a negative seed is refused`() throws {
    #expect(try error(replacing: "\"seed\": 1", with: "\"seed\": -1").path == "plan.seed")
  }
}
