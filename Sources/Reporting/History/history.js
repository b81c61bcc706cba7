// SPDX-License-Identifier: Apache-2.0
"use strict";
// Finds series: a row stays where all words are in it, in its group's title or in its part's.
(() => {
  const section = document.getElementById("series");
  const rows = [...section.querySelectorAll("tr[id]")];
  if (rows.length < 8) return;
  const groups = [...section.querySelectorAll("details")];
  const parts = [...section.querySelectorAll("tbody, .scroll, h3")];
  const wasOpen = groups.map((group) => group.open);
  const texts = rows.map((row) => {
    const group = row.closest("details")?.querySelector("summary").textContent ?? "changed";
    const part = row.parentElement.querySelector(".aspect")?.textContent ?? "";
    return `${row.textContent} ${group} ${part}`.toLowerCase();
  });
  const bar = document.createElement("p");
  bar.className = "find";
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  field.type = "search";
  field.placeholder = "reading, pattern, aspect, day …";
  field.autocomplete = "off";
  label.append("Find ", field);
  bar.append(label, count);
  section.querySelector("h2").after(bar);
  const hasRow = (node) => node.querySelector("tr[id]:not([hidden])") !== null;
  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      row.hidden = !words.every((word) => texts[index].includes(word));
      if (!row.hidden) shown += 1;
    });
    for (const part of parts) {
      part.hidden = words.length > 0 && (part.tagName === "H3" || !hasRow(part));
    }
    groups.forEach((group, index) => {
      group.hidden = !hasRow(group);
      group.open = words.length > 0 ? !group.hidden : wasOpen[index];
    });
    count.textContent = words.length > 0 ? `${shown} of ${rows.length} series` : "";
  };
  field.addEventListener("input", find);
  // A link to a row finds it, whatever was asked for before.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || !rows.includes(target)) return;
    field.value = "";
    find();
    const group = target.closest("details");
    if (group) group.open = true;
    target.scrollIntoView({ block: "center" });
  });
})();
