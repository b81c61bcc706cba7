/// The order of the folders in each module: a file names types of its own folder and of those before it, no others.
///
/// The module's own folder is `.`. Where a type is wanted further down, it is the type that moves, not the order that
/// bends.
enum FolderTable {
  static let orders: [String: [String]] = [
    "AHAP": ["Diagnostics", "Model", "Exporting", "Reading", "Advice", "Fixing", "Writing"],
    "ALSADevices": ["Conversion", "Calls", "Cards", "Duplex", "Opening", "Ports"],
    "Acceptance": ["Figures", "Readings", "Plans", "Records"],
    "Actuators": ["."],
    "Bench": [
      "Patterns", "Takes", "Expression", "Session", "Analysis", "Calibrating", "Latency",
      "Separation", "Measuring/Capture", "Measuring/Event", "Measuring/Figure", "Measuring/Take",
      "Measuring", "Scoring", "Running",
    ],
    "Calibration": [
      ".", "Segments", "Sensor", "Excitation", "Readings", "Refinement", "Findings", "Outcome",
      "Stages", "Procedure", "QuickCheck",
    ],
    "ChangeDetection": [
      "Statistics", "Environment", "Series", "Detection", "Baselines", "Trends", "Alarms",
    ],
    "CoreHaptics": ["Errors", "Patterns", "Rig", "Recording", "Stream", "Engine"],
    "Devices": [
      "Expression", "Host", "Samples", "Simulation", "Ports", "Realtime", "Recording", "Rig",
    ],
    "HapticClips": ["Model", "Conversion", "Reading", "Writing"],
    "HapticRendering": [
      "Laws", "Timeline", "Configuration", "Intent", "Resolving", "Renderer", "Players",
    ],
    "JSONText": ["Positions", "Nodes", "Fields", "Parsing", "Document", "Values"],
    "Paths": ["."],
    "Perception": ["Thresholds", "Laws", "Levels"],
    "Profiles": [".", "Model", "FeedForward", "Profile", "Mapping", "Fleet"],
    "Reporting": [
      "Markup", "SARIF", "Words", "Certificate/Goals", "Page", "Spectrogram", "Summary", "JUnit",
      "Plot", "Figures", "Fleet", "History", "Charts", "Terminal", "Certificate", "HTML",
      "Certificate/Plot", "Exchange", "Certificate/Page",
    ],
    "RigDevices": ["Locking", "Mixed", "."],
    "RigFiles": [".", "Text", "Decoding", "Plans", "Sensor", "Simulation", "Rig"],
    "RunArchive": [
      "Hashes", "Time", "Folders", "History", "Index", "Postgres", "SQLite", "Archive",
      "Baselines", "Retention", "Verify",
    ],
    "SignalAnalysis": [
      "Statistics", "Stimuli", "Events", "Spectra", "Delay", "Resonator", "Ringing", "Tones",
      "Envelopes", "Joint", "Transfer", "Axes", "Clicks", "Fitting", "Impedance", "Motors",
    ],
    "SoundFiles": [".", "Exchange", "Resampling", "Reading", "Writing"],
    "UIKitFeedback": ["Patterns", "Generators"],
    "USBDevices": [
      "Codecs/Bytes", "Codecs/Clock", "Codecs/Motion", "Descriptors", "Codecs/Board",
      "Codecs/DualSense", "Codecs/I2C", "Codecs/IndustrialIO", "Codecs/Sampled",
      "Codecs/SwitchController", "Identity", "Takes", "Codecs/CP2112", "Codecs/DRV2605L",
      "Codecs/FT232H", "Codecs/MCP2221A", "Codecs/SerialStream", "Motion", "Sampled", "Transport",
      "Board", "Codecs/QuantisedIntent", "IndustrialIO", "Library", "Serial", "Tones",
      "Bridges", "Controllers", "Inventory", "Rig",
    ],
    "Units": ["."],
    "VirtualCard": ["Samples", "State", "Physics", "Card", "Plugin"],
    "VirtualDevices": [
      "Noise", "Pairing", "Plant", "Sampling", "Time", "Simulated", "Command", "File",
    ],
    "Workflows": [
      "Operator", "Devices", "Inputs", "Rendering", "Calibration", "Running", "Sensor", "History",
      "Scoring",
    ],
    "haprig": [
      "Accounts", "Console", "Lint", "Observe", "Options", "Commands/Archive",
      "Commands/Baselines", "Commands", ".",
    ],
  ]
}
