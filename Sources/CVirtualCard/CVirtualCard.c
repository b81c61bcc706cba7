// SPDX-License-Identifier: Apache-2.0
// What Swift cannot say to libasound: its error function is variadic, and its version symbol a
// macro.

#ifndef PIC
#define PIC 1  // without it the macro below registers a static plugin instead
#endif
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

#include "CVirtualCard.h"

// Not SNDERR: that macro would show a path of the machine which built the library.
void haprig_card_error(const char *text) {
  snd_lib_error("virtual-card", 0, "open", 0, "%s", text);
}

// libasound looks for this symbol beside _snd_pcm_haprig_open, which VirtualCard exports.
SND_PCM_PLUGIN_SYMBOL(haprig)
