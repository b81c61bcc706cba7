// SPDX-License-Identifier: Apache-2.0
#ifndef HAPRIG_CEMBEDDED_FILES_H
#define HAPRIG_CEMBEDDED_FILES_H

// Files that are part of the program: style sheets and scripts of reports as `report/NAME`, those of the workbench's
// pages as `pages/NAME`, presets of methods that compose as `presets/NAME`.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  long count;
} haprig_file;

const haprig_file *haprig_embedded_files(void);
long haprig_embedded_count(void);

// The file of this name; null where there is none.
const haprig_file *haprig_embedded(const char *name);

#endif
