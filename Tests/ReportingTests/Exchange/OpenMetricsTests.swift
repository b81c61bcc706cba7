// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Reporting
import Testing

struct OpenMetricsTests {
  private let record = SampleRecord().make()

  @Test func `each family has its head once, its samples together, and the text its end`() throws {
    let text = OpenMetricsReport.text(record: record)
    #expect(text.hasSuffix("# EOF\n"))
    var family = ""
    var seen: Set<String> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# HELP ") {
        family = String(line.split(separator: " ")[2])
        #expect(seen.insert(family).inserted, "\(family) begins twice")
      } else if !line.hasPrefix("#") {
        let name = line.prefix { $0 != "{" }
        let ends = ["", "_bucket", "_sum", "_count"]
        #expect(ends.contains { name == family + $0 }, "\(name) stands under \(family)")
        #expect(line.wholeMatch(of: /[a-z_]+\{([a-z]+="[^"]*",?)*\} [-+.e0-9]+/) != nil, "\(line)")
      }
    }
  }

  @Test func `the verdicts on rig, timing and feel have a sample for each word`() {
    let text = OpenMetricsReport.text(record: record)
    let run = "rig=\"simulated-lra\",actuator=\"lra-1\",plan=\"sampler\""
    for (aspect, verdict) in [("rig", "pass"), ("timing", "pass"), ("feel", "marginal")] {
      let labels = "{\(run),aspect=\"\(aspect)\",verdict="
      #expect(text.contains("haprig_run_aspect_verdict\(labels)\"\(verdict)\"} 1.0\n"))
      #expect(text.contains("haprig_run_aspect_verdict\(labels)\"not judged\"} 0.0\n"))
    }
  }

  @Test func `a sample is the median of a pattern's readings in base units`() throws {
    var record = record
    record.readings = [3, 1, 2].map {
      Reading(.latencyOnset, pattern: "tap", take: 1, value: $0 * 1e-3, uncertainty: 1e-5)
    }
    record.readings.append(Reading(.drift, value: 12, uncertainty: 0.5))
    record.readings.append(Reading(notMeasured: .latencyTransport, because: "no probe"))
    let text = OpenMetricsReport.text(record: record)
    let run = "rig=\"simulated-lra\",actuator=\"lra-1\",plan=\"sampler\""
    #expect(text.contains("haprig_latency_onset_seconds{\(run),pattern=\"tap\"} 0.002\n"))
    #expect(
      text.contains("haprig_latency_onset_uncertainty_seconds{\(run),pattern=\"tap\"} 1e-05\n"))
    #expect(text.contains("haprig_latency_onset_readings{\(run),pattern=\"tap\"} 3.0\n"))
    #expect(text.contains("# UNIT haprig_drift_ratio ratio\n"))
    #expect(text.contains("haprig_drift_ratio{\(run)} 1.2e-05\n"))
    #expect(!text.contains("latency_transport"))
    #expect(
      text.contains("haprig_latency_onset_distribution_seconds_bucket{\(run),le=\"0.002\"} 2.0\n"))
    #expect(
      text.contains("haprig_run_verdict{\(run),verdict=\"\(record.verdict.rawValue)\"} 1.0\n"))
  }

  @Test func `a ratio goes from 0 to 1, and harmony is in points`() throws {
    var record = record
    record.readings = [
      Reading(.harmony, pattern: "tap", value: 92, uncertainty: 1),
      Reading(.harmonySync, pattern: "tap", take: 1, value: 98),
      Reading(.envelopeCorrelation, pattern: "tap", take: 1, value: 0.93),
    ]
    let text = OpenMetricsReport.text(record: record)
    #expect(text.contains("# UNIT haprig_harmony_points points\n"))
    #expect(text.contains("haprig_harmony_sync_points{"))
    for line in text.split(separator: "\n") where line.contains(/^haprig_[a-z_]*_ratio\{/) {
      let value = try #require(line.split(separator: " ").last.flatMap { Double($0) })
      #expect(abs(value) <= 1, "\(line)")
    }
    #expect(text.contains("haprig_envelope_correlation_ratio{"))
  }

  @Test func `names that hold quotes, backslashes and line feeds are escaped`() {
    var record = record
    record.rig.name = "a\\b\"c\nd"
    let text = OpenMetricsReport.text(record: record)
    #expect(text.contains("rig=\"a\\\\b\\\"c\\nd\""))
  }

  /// The parser of Prometheus' own client, where Python has it.
  @Test(.enabled(if: Python.isAvailable, "there is no python3"))
  func `Prometheus' own parser reads it`() throws {
    let script = """
      import sys
      try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
      except ImportError:
        print("absent"); sys.exit()
      families = list(parse(sys.stdin.read()))
      print(len(families), sum(len(f.samples) for f in families))
      """
    let text = OpenMetricsReport.text(record: record)
    let answer = try Python.run(script, input: text)
    guard !answer.hasPrefix("absent") else { return }
    let heads = text.split(separator: "\n").count { $0.hasPrefix("# HELP") }
    let samples = text.split(separator: "\n").count { !$0.hasPrefix("#") }
    #expect(answer == "\(heads) \(samples)\n")
  }
}
