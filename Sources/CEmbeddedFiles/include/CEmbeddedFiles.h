#ifndef HAPRIG_CEMBEDDED_FILES_H
#define HAPRIG_CEMBEDDED_FILES_H

// Style sheets and scripts that are part of the program: those of reports as `report/NAME`, those of the workbench's
// pages as `pages/NAME`.
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
