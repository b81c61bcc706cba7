// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the documents tell a reader to type does what they show.
struct TutorialTests {
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3"), "there is no python3"))
  func `every command of the tutorial prints what the tutorial shows`() throws {
    let bench = try Workbench()
    let tester = Workbench.package.appending(path: "Tests/Documents/tutorial.py").path()
    let document = Workbench.package.appending(path: "docs/TUTORIAL.md").path()
    let ending = try bench.start(
      ["/usr/bin/python3", tester, document], changing: ["HAPRIG_PROGRAM": Workbench.haprig]
    ).end()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3"), "there is no python3"))
  func `a document that shows something else is told with its line`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      # Wrong

      ```console
      $ haprig lint rigs/patterns/swell.ahap
      1 file, 0 mistakes
      ```
      """, to: "wrong.md")
    let tester = Workbench.package.appending(path: "Tests/Documents/tutorial.py").path()
    let ending = try bench.start(
      ["/usr/bin/python3", tester, bench.file("wrong.md").path()],
      changing: ["HAPRIG_PROGRAM": Workbench.haprig]
    ).end()
    #expect(ending.code == 1 && (ending.output + ending.errors).contains("wrong.md:5"))
  }
}
