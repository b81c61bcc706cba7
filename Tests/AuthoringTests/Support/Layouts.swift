// SPDX-License-Identifier: Apache-2.0

/// One small pattern in the layouts that files have.
enum Layouts {
  static let names = texts.keys.sorted()

  static let texts: [String: String] = [
    "Apple": apple, "one line": oneLine, "minified": minified, "packed": packed,
    "tabs and returns": packed.replacing("  ", with: "\t").replacing("\n", with: "\r\n"),
    "trailing commas": apple.dropLast(2).replacing("}\n", with: "},\n")
      .replacing("]\n", with: "],\n") + "}\n",
    "mark and no end": "\u{FEFF}" + apple.trimmed, "empty": empty,
  ]

  static let apple = """
    {
        "Version": 1.0,
        "Metadata": { "Project": "Übung 🫀", "Description": "a \\"b\\" \\uD83E\\uDEC0 c" },
        "Pattern": [
            {
                "Event": {
                    "Time": 0.0,
                    "EventType": "HapticTransient",
                    "EventParameters": [
                        {
                            "ParameterID": "HapticIntensity",
                            "ParameterValue": 0.80
                        },
                        {
                            "ParameterID": "HapticSharpness",
                            "ParameterValue": 0.4
                        }
                    ],
                    "Note": "first 🥁"
                }
            },
            {
                "Event": {
                    "Time": 0.10,
                    "EventType": "HapticContinuous",
                    "EventDuration": 0.25
                }
            },
            {
                "Parameter": {
                    "ParameterID": "HapticSharpnessControl",
                    "ParameterValue": -0.5,
                    "Time": 0.2
                }
            },
            {
                "ParameterCurve": {
                    "ParameterID": "HapticIntensityControl",
                    "Time": 0.1,
                    "ParameterCurveControlPoints": [
                        {
                            "Time": 0,
                            "ParameterValue": 1
                        },
                        {
                            "Time": 0.25,
                            "ParameterValue": 0.5
                        }
                    ]
                }
            },
            {
                "Event": {
                    "Time": 0.5,
                    "EventType": "AudioCustom",
                    "EventWaveformPath": "Töne/click.wav",
                    "EventParameters": []
                }
            }
        ]
    }

    """

  static let packed = """
    {
      "Version": 1.0,
      "Metadata": { "Description": "gepackt 🧱" },
      "Pattern": [
        { "Event": { "Time": 0, "EventType": "HapticTransient", "EventParameters": [
          { "ParameterID": "HapticIntensity", "ParameterValue": 1 } ], "Note": "x" } },
        { "Event": { "Time": 0.25, "EventType": "HapticContinuous", "EventDuration": 1 } },
        { "ParameterCurve": { "ParameterID": "HapticSharpnessControl", "Time": 0,
          "ParameterCurveControlPoints": [ { "Time": 0, "ParameterValue": -1 } ] } }
      ]
    }

    """

  static let oneLine =
    #"{ "Version": 1.0, "Metadata": { "Description": "eine Zeile 🚇" }, "Pattern": [ "#
    + #"{ "Event": { "Time": 1e-1, "EventType": "HapticTransient" } } ] }"# + "\n"

  static let minified =
    #"{"Pattern":[{"Event":{"Time":0.126232741617357,"EventType":"HapticTransient","#
    + #""EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":0.5}],"#
    + #""Note":"\u00e9"}}],"Metadata":{"Description":"📎"}}"#

  static let empty = """
    {
      "Version": 1.0,
      "Metadata": { "Description": "" },
      "Pattern": []
    }

    """
}

extension String {
  fileprivate var trimmed: String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
