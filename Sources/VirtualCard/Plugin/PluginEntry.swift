public import CALSA
import CVirtualCard

/// Opens a PCM of type `haprig` for libasound.
///
/// libasound finds the function by its C name in the dynamic library. What is wrong with the
/// configuration or the rig file is handed to libasound's error handler as one sentence.
///
/// - Parameters:
///   - pcm: Takes the new PCM.
///   - name: The PCM's name.
///   - root: The whole configuration.
///   - node: The PCM's own node.
///   - stream: Playback or capture.
///   - mode: Flags of the opening.
/// - Returns: 0, or a negative error number.
@c(_snd_pcm_haprig_open)
public func openVirtualCard(
  _ pcm: UnsafeMutablePointer<OpaquePointer?>?, _ name: UnsafePointer<CChar>?,
  _ root: OpaquePointer?, _ node: OpaquePointer?, _ stream: snd_pcm_stream_t, _ mode: Int32
) -> Int32 {
  do throws(CardError) {
    let configuration = try CardConfiguration(node)
    let card = try CardRegistry.card(configuration)
    let side: CardDirection = stream == SND_PCM_STREAM_PLAYBACK ? .playback : .capture
    try card.open(side)
    let plugin = PluginStream(card, side, reportedDelay: configuration.reportedDelay)
    // The PCM owns the stream from here on, and lets go of it in its `close`.
    let code = plugin.create(name, stream, mode)
    guard code >= 0 else { return code }
    pcm?.pointee = plugin.handle
    return 0
  } catch {
    haprig_card_error("virtual card: " + error.message)
    return -error.number
  }
}
