// SPDX-License-Identifier: Apache-2.0

/// The order of the folders in each module: a file names types of its own folder and of those before it, no others.
///
/// The module's own folder is `.`. Where a type is wanted further down, it is the type that moves, not the order that
/// bends.
enum FolderTable {
  static let orders: [String: [String]] = [
    "AHAP": ["Diagnostics", "Model", "Exporting", "Reading", "Advice", "Fixing", "Writing"],
    "ALSADevices": ["Conversion", "Calls", "Cards", "Duplex", "Opening", "Ports"],
    "Acceptance": ["Fields", "Figures", "Readings", "Plans", "Records"],
    "Actuators": ["."],
    "Authoring": [
      "Text", "Entries", "Document", "Operations", "Splicing", "History", "Merging", "Exchange",
    ],
    "Bench": [
      "Patterns", "Takes", "Expression", "Session", "Analysis", "Calibrating", "Latency",
      "Wiring", "Separation", "Measuring/Capture", "Measuring/Event", "Measuring/Figure",
      "Measuring/Take",
      "Measuring", "Scoring", "Running",
    ],
    "Calibration": [
      ".", "Segments", "Sensor", "Excitation", "Readings", "Refinement", "Findings", "Outcome",
      "Stages", "Procedure", "QuickCheck",
    ],
    "ChangeDetection": [
      "Statistics", "Environment", "Series", "Detection", "Baselines", "Trends", "Alarms",
    ],
    "Composing": [
      "Settings", "Mixing", "Loudness", "Analysis", "Layers", "Taps", "Chain", "Assembly",
      "Composer", "Beats", "Live",
    ],
    "CoreHaptics": [
      "Errors", "Patterns", "Rig", "Recording", "Follow", "Stream", "Engine", "Stage",
    ],
    "Devices": [
      "Expression", "Host", "Samples", "Ports", "Simulation", "Realtime", "Recording", "Rig",
    ],
    "DeviceStreams": ["."],
    "GaugeStudy": ["Description", "Statistics", "Analysis"],
    "HapticClips": ["Model", "Conversion", "Reading", "Writing"],
    "HapticRendering": [
      "Timeline", "Configuration", "Intent", "Resolving", "Voices", "Renderer", "Players",
    ],
    "JSONText": ["Positions", "Nodes", "Parsing", "Document", "Values", "Fields"],
    "LiveRuns": ["Events", "Folders", "Waves", "Writing", "Reading"],
    "Paths": ["."],
    "Perception": ["."],
    "Profiles": [".", "Model", "FeedForward", "Profile", "Mapping", "Fleet"],
    "Reporting": [
      "Markup", "Words", "Page", "Plot", "Summary", "Figures", "Charts", "History", "Terminal",
      "Certificate", "HTML", "Exchange", "Gauge", "Lab", "Diff", "Composing",
    ],
    "RigDevices": ["Locking", "Mixed", "Temperature", "."],
    "RigFiles": [
      "Text", "Decoding", "Configuration", "Plans", "Gauge", "Sensor", "Simulation", "Rig", "Fleet",
    ],
    "RunArchive": [
      "Folders", "History", "Index", "Postgres", "SQLite", "Archive",
      "Import", "Baselines", "Retention", "Verify", "Fleet",
    ],
    "SampledSensors": ["Streams", "Sampled", "Serial", "IndustrialIO"],
    "SignalAnalysis": [
      "Statistics", "Stimuli", "Spectra", "Delay", "Resonator", "Tones", "Envelopes", "Events",
      "Joint", "Transfer", "Fitting",
    ],
    "SoundFiles": [".", "Exchange", "Resampling", "Reading", "Writing"],
    "UIKitFeedback": ["Patterns", "Generators"],
    "USBDevices": [
      "Codecs", "Codecs/Board", "Takes", "Motion", "Board", "Tones", "Bridges", "Controllers",
      "Rig",
    ],
    "USBTransport": ["Descriptors", "Identity", "Transport", "Library", "Inventory"],
    "Units": ["."],
    "VirtualCard": ["Samples", "State", "Physics", "Card", "Plugin"],
    "VirtualDevices": ["Takes", "Noise", "Plant", "Sampling", "Simulated", "Command", "File"],
    "Workflows": [
      "Operator", "Inputs", "Calibration", "Running", "Import", "Sensor", "History", "Scoring",
      "Demo", "Gauge", "Diff", "Stage", "Composing", "Follow", "Fleet", "Doctor", "Setup",
    ],
    "Workbench": [
      "Streams", "Sockets", "HTTP", "Access", "Assets", "Archive", "Fleet", "Recordings", "Live",
      "Bench", "Documents", "Jobs", "Authoring", "Hub", "Server", "API",
    ],
    "haprig": ["Console", "Options", "Commands", "."],
  ]
}
