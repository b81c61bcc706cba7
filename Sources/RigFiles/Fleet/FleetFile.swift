// SPDX-License-Identifier: Apache-2.0

/// The machines of a lab, the rigs on each, and what is done on them when.
package struct FleetFile: Sendable, Equatable {
  package struct Archive: Sendable, Equatable {
    /// Where the book and the index are: `postgres://USER@HOST/DATABASE`, without a password.
    package var server: String
    /// Where runs lie on each machine.
    package var folder: String
    /// Where machines copy runs to, in the words of rclone: a folder, or `REMOTE:PATH`.
    package var store: String?
  }

  package struct Master: Sendable, Equatable {
    /// Where machines join: an address and a port.
    package var listen = "127.0.0.1:9989"
    /// Where the engine's page is.
    package var page = "127.0.0.1:8010"
    /// The folder on the master with the machines' tokens (`NAME.token`) and with `page.users`, a line
    /// `NAME:PASSWORD` each; only the master's user may read them.
    package var passwords: String
  }

  package struct Machine: Sendable, Equatable {
    package var name: String
    /// The program on that machine.
    package var haprig = "/usr/bin/haprig"
    /// Where its jobs are begun.
    package var folder = "/var/lib/haprig/work"
    /// How many jobs it works on at a time; as many as it has rigs where nothing is said.
    package var jobs: Int?
  }

  package struct Rig: Sendable, Equatable {
    /// The rig's name, as its own file has it.
    package var name: String
    package var machine: String
    /// The rig's file on its machine.
    package var file: String
    /// What jobs for all rigs of a kind go by.
    package var model: String?
  }

  package enum Task: String, Sendable, CaseIterable {
    case nightly, run, calibrate, check
  }

  package enum Reserved: String, Sendable, CaseIterable {
    /// The job waits until the rig is free.
    case wait
    /// The job is given up.
    case skip
  }

  package enum Weekday: String, Sendable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun
  }

  package struct Plan: Sendable, Equatable {
    package var name: String
    package var task: Task
    /// The plan's file on the machines; none of a calibration and a check.
    package var file: String?
    /// More words for the command.
    package var arguments: [String] = []
    /// The names of the rigs.
    package var rigs: [String]
    /// The minutes of the UTC day at which it begins; none where people alone begin it.
    package var times: [Int] = []
    package var days = Weekday.allCases
    /// The longest that a job may take, in seconds.
    package var limit = 7_200.0
    /// How often a job is tried.
    package var attempts = 5
    package var reserved = Reserved.wait
    /// How late a missed time is still made up for, in seconds.
    package var catchUp = 43_200.0
    /// Of jobs for one rig that of the higher priority comes first.
    package var priority = 0
  }

  package enum Occasion: String, Sendable, CaseIterable {
    case fail, fault, overdue
  }

  /// Who is told of what, by a program.
  package struct Notice: Sendable, Equatable {
    package var occasions: [Occasion]
    package var command: [String]
  }

  package var name: String
  package var archive: Archive
  package var master: Master
  package var machines: [Machine]
  package var rigs: [Rig]
  package var plans: [Plan]
  package var notices: [Notice]
}
