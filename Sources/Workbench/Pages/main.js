// SPDX-License-Identifier: Apache-2.0
// The frame around the pages: which one is shown, the link to the server, keys, and the drive that is held.
import { askSession, onKeyless, openSession, post, session } from "./api.js";
import { openBench } from "./bench_page.js";
import { openCalibrations } from "./calibrations_page.js";
import { openCompare } from "./compare_page.js";
import { code, empty, field, fill, h, say, toast } from "./dom.js";
import { openFleet } from "./fleet_page.js";
import { openFollow } from "./follow_page.js";
import { duration } from "./format.js";
import { openHistory } from "./history_page.js";
import { addKeys, pageKeys, showKeys } from "./keys.js";
import { openLive } from "./live_page.js";
import { openPalette } from "./palette_page.js";
import { openPatterns } from "./patterns_page.js";
import { openRuns } from "./runs_page.js";
import { link } from "./socket.js";
import { benchNow, heldDrive, letGo, picked, refreshBench } from "./store.js";
import { askWords } from "./words.js";

/** @typedef {(place: HTMLElement, path: string[], params: URLSearchParams) => () => void} Page */
/** @type {[string, string, string, Page][]} name, title, key, page */
const PAGES = [
  ["bench", "Bench", "b", openBench], ["live", "Live", "l", openLive], ["runs", "Runs", "r", openRuns],
  ["compare", "Compare", "c", openCompare], ["history", "History", "h", openHistory],
  ["calibrations", "Calibrations", "k", openCalibrations], ["patterns", "Patterns", "p", openPatterns],
  ["palette", "Palette", "a", openPalette], ["follow", "Follow", "f", openFollow],
  ["fleet", "Fleet", "e", openFleet],
];

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const nav = /** @type {HTMLElement} */ (document.getElementById("pages"));
const standing = /** @type {HTMLElement} */ (document.getElementById("link"));
const warning = /** @type {HTMLElement} */ (document.getElementById("warning"));

let close = () => {};
let asking = false;
let shownPath = "";
const show = () => {
  const [where, search] = (location.hash.replace(/^#\/?/, "") || "bench").split("?");
  const [name, ...path] = where.split("/").map(decodeURIComponent);
  const known = PAGES.find(([one]) => one === name && (one === "fleet" || isShown(one))) ?? PAGES[0];
  close();
  close = () => {};
  document.querySelectorAll("dialog").forEach((one) => one.close());
  pageKeys([]);
  document.title = `${known[1]} – haprig`;
  // A place of its own for each page: what an older page still waits for cannot come into this one.
  const place = h("div", { class: `page page-${known[0]}` });
  main.replaceChildren(place);
  for (const item of nav.children) {
    const current = item instanceof HTMLElement && item.dataset.page === known[0];
    if (current) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  try {
    close = known[3](place, path.filter(Boolean), new URLSearchParams(search ?? ""));
  } catch (error) {
    fill(place, empty("This page has a fault", error instanceof Error ? error.message : String(error)));
    throw error;
  }
  // Who comes from another page begins at the top; a screen reader is told where.
  if (shownPath && shownPath !== where) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
    say(known[1]);
  }
  shownPath = where;
};

/** A fleet has its place where there is one; who may only look plays nothing. */
const isShown = (/** @type {string} */ name) => name === "fleet" ? benchNow()?.fleet : !session.looks || !["palette", "follow"].includes(name);

const showNav = () => {
  const count = picked().length;
  const pages = PAGES.filter(([name]) => isShown(name));
  fill(nav, pages.map(([name, title, key]) => h("a", {
    href: `#/${name}`, "data-page": name, "data-key": `nav-${name}`, title: `${title} (g ${key})`,
    "aria-current": (location.hash || "#/bench").startsWith(`#/${name}`) && "page",
  }, title, name === "compare" && count > 0 && h("span", { class: "count", "aria-label": `, ${count} picked` }, count))));
};
document.addEventListener("picked", showNav);

// The link: a word in the bar, and a strip as soon as what is shown is old.
let wasLost = false;
const showLink = () => {
  const quiet = (performance.now() - link.heard) / 1000;
  const lost = link.state === "lost" || (link.state === "open" && quiet > 3);
  if (asking) return;
  const word = (link.state === "open" && !lost ? "connected" : lost ? "cut off" : "connecting") + (session.looks ? ", to look only" : "");
  if (standing.textContent !== word) fill(standing, word);
  standing.className = `link ${lost ? "bad" : link.state === "open" ? "good" : ""}`;
  document.body.classList.toggle("cut-off", lost);
  if (lost) {
    const wait = Math.max(0, Math.ceil((link.retryAt - Date.now()) / 1000));
    if (!warning.dataset.kind) {
      warning.dataset.kind = "lost";
      warning.hidden = false;
      fill(warning, h("span", null, "Cut off from the workbench: what is shown is old. Work that runs goes on without it. "),
        h("span", { class: "number", "aria-hidden": "true", id: "retry" }),
        h("button", { type: "button", onclick: () => link.now() }, "Try now"));
    }
    const retry = document.getElementById("retry");
    if (retry) retry.textContent = `Shown as of ${Math.round(quiet)} s ago; next try in ${wait} s. `;
    wasLost = true;
  } else if (warning.dataset.kind === "lost" && link.state === "open") {
    warning.hidden = true;
    delete warning.dataset.kind;
    if (wasLost) say("Connected again.");
    wasLost = false;
  }
};
link.listeners.add(showLink);
setInterval(showLink, 500);

// The held drive: a big Stop over everything, as long as this page holds it.
let holdBar = h("div", { hidden: true });
const showHeld = () => {
  const drive = heldDrive();
  if (!drive) {
    holdBar.remove();
    return;
  }
  const time = h("span", { class: "number" });
  holdBar = h("div", { class: "hold", role: "region", "aria-label": "Held drive" },
    h("div", null, h("strong", null, `This page drives ${drive.rig}`), h("p", null, drive.title, " · ", time),
      h("p", { class: "detail" }, "It stops within half a second when this page is closed, hidden or cut off.")),
    h("button", { type: "button", class: "stop huge", onclick: () => letGo("Stopped.") }, "STOP", h("kbd", null, "Esc")));
  document.body.append(holdBar);
  // The dialog that started it gives the focus back first.
  setTimeout(() => holdBar.querySelector("button")?.focus(), 50);
  const tick = setInterval(() => {
    if (!holdBar.isConnected || heldDrive() !== drive) clearInterval(tick);
    else time.textContent = duration((performance.now() - drive.since) / 1000);
  }, 100);
};
document.addEventListener("held", showHeld);
// Whatever has the focus, Esc stops a held drive first.
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !heldDrive()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  letGo("Stopped.");
}, true);

// Without a key: it is asked for, as the terminal printed it.
const askKey = (/** @type {string} */ words) => {
  if (asking) return;
  asking = true;
  fill(standing, "no key");
  close();
  close = () => {};
  const input = h("input", {
    type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "key-words",
  });
  fill(main, h("div", { class: "page" }, h("form", {
    class: "card key", onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = input.value.trim();
      try {
        await post("session", { key: text.includes("#key=") ? text.split("#key=")[1] : text });
        await enter();
        begin();
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), "bad");
      }
    },
  }, h("h1", null, "The workbench asks for its key"), h("p", { id: "key-words" }, words, " It stands in the address that ",
    code("haprig serve"), " printed when it was started, after ", code("#key="), "."),
  field("Key, or the whole address", input), h("button", { type: "submit", class: "primary" }, "Open"))));
  input.focus();
};
onKeyless(() => askKey("This page has no key, or that of a workbench that has ended."));

const begin = () => {
  asking = false;
  showNav();
  link.open();
  link.now();
  show();
  refreshBench().then(showNav, () => {});
};

/** What every page needs to know of the server. */
async function enter() {
  await askSession();
  await askWords();
}

document.getElementById("help")?.addEventListener("click", showKeys);
document.getElementById("skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", async () => {
  if (location.hash.startsWith("#key=")) await openSession().then(enter).then(() => { asking = false; showNav(); }).catch((error) => askKey(error.message));
  if (!asking) show();
});
addKeys([
  ...PAGES.map(([name, title, key]) => ({ keys: `g ${key}`, does: title, act: () => { location.hash = `#/${name}`; } })),
  { keys: "?", does: "These keys", act: showKeys },
  { keys: "/", does: "To the filter of the page", act: () => {
    const input = main.querySelector("input[type=search]");
    if (input instanceof HTMLInputElement) {
      input.focus();
      input.select();
    }
  } },
  { keys: "Esc", does: "Closes what is open, stops a held drive, leaves a field" },
]);

try {
  await openSession();
  // Asked before anything else, so that a page without a key says so at once.
  await enter();
  begin();
} catch (error) {
  if (error instanceof Error && !asking) {
    if (/** @type {any} */ (error).status === 0) {
      fill(main, h("div", { class: "page" }, empty("The workbench does not answer", h("p", null, "Start it again with ",
        code("haprig serve"), "; this page looks for it every few seconds."))));
      const again = setInterval(async () => {
        try {
          await enter();
          clearInterval(again);
          begin();
        } catch { /* Not yet. */ }
      }, 3000);
    } else askKey(error.message);
  }
}
