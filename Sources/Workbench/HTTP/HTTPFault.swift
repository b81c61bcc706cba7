// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// Why a request is not answered as it asked: a status, a code for programs, and a sentence for people.
package struct HTTPFault: Error, Sendable {
  package let status: Int
  package let code: String
  package let message: String
  /// Fields that go with the status: `Allow`, `Retry-After`, `Upgrade`.
  var fields: [HTTPField] = []

  package init(_ status: Int, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  func with(_ name: String, _ value: String) -> HTTPFault {
    var fault = self
    fault.fields.append(HTTPField(name, value))
    return fault
  }

  package var json: JSONValue {
    ["error": ["code": .string(code), "message": .string(message)]]
  }
}

struct HTTPField: Sendable, Equatable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
