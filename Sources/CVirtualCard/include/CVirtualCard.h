// SPDX-License-Identifier: Apache-2.0
#ifndef HAPRIG_CVIRTUALCARD_H
#define HAPRIG_CVIRTUALCARD_H

// Hands a sentence to the error handler of libasound: standard error, unless the program set its
// own.
void haprig_card_error(const char *text);

#endif
