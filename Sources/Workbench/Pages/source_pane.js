// SPDX-License-Identifier: Apache-2.0
// The text beside the timeline: CodeMirror where Debian's is installed, else a plain field with the numbers of its lines.
import { h } from "./dom.js";

/**
 * @typedef {object} Pane
 * @property {HTMLElement} element
 * @property {() => string} text
 * @property {(text: string) => void} setText
 * @property {(edits: API.TextEdit[]) => void} apply replacements of the text as it is
 * @property {(from: number, to: number) => void} reveal shows an entry, and marks its lines
 * @property {(findings: API.Finding[]) => void} mark
 * @property {(at: number) => void} focus
 * @property {() => boolean} hasFocus
 * @property {(isLocked: boolean) => void} lock whether nothing can be typed
 * @property {() => void} refresh
 */
/** @typedef {{ typed: () => void, cursor: (at: number) => void }} Owner */

const BASE = "/assets/codemirror/";
/** @type {Promise<any> | undefined} */
let loading;

/** CodeMirror, where the server has it. */
function codeMirror() {
  loading ??= (async () => {
    for (const name of ["lib/codemirror.js", "mode/javascript/javascript.js", "addon/edit/matchbrackets.js"]) {
      await new Promise((done) => document.head.append(h("script", { src: BASE + name, onload: done, onerror: done })));
      if (!(/** @type {any} */ (window).CodeMirror)) return undefined;
    }
    const sheet = h("link", { rel: "stylesheet", href: `${BASE}lib/codemirror.css` });
    // Before the page's own sheets, which say the colours.
    await new Promise((done) => {
      sheet.onload = sheet.onerror = done;
      document.head.prepend(sheet);
    });
    return /** @type {any} */ (window).CodeMirror;
  })();
  return loading;
}

/** @param {Owner} owner @returns {Promise<Pane>} */
export async function sourcePane(owner) {
  const made = await codeMirror();
  return made ? rich(made, owner) : plain(owner);
}

/** @param {string} text the end of its lines, where all have the same */
const lineEnd = (text) => text.includes("\r\n") && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";

/** @param {any} CodeMirror @param {Owner} owner @returns {Pane} */
function rich(CodeMirror, owner) {
  const element = h("div", { class: "source rich" });
  const editor = CodeMirror(element, {
    mode: { name: "javascript", json: true }, lineNumbers: true, matchBrackets: true, gutters: ["findings", "CodeMirror-linenumbers"],
    // Tab goes on to what comes next, as everywhere on the page; undo is the document's.
    extraKeys: Object.fromEntries(["Tab", "Shift-Tab", "Ctrl-Z", "Shift-Ctrl-Z", "Ctrl-Y", "Cmd-Z", "Shift-Cmd-Z", "Cmd-Y"].map((key) => [key, false])),
    undoDepth: 0, tabSize: 2,
  });
  editor.getInputField().setAttribute("aria-label", "Source text");
  editor.getInputField().dataset.key = "source";
  let isQuiet = false;
  const quietly = (/** @type {() => void} */ act) => {
    isQuiet = true;
    editor.operation(act);
    isQuiet = false;
  };
  editor.on("changes", () => { if (!isQuiet) owner.typed(); });
  editor.on("cursorActivity", () => { if (!isQuiet && editor.hasFocus()) owner.cursor(editor.indexFromPos(editor.getCursor())); });
  /** @type {any} */
  let shown;
  /** @type {any[]} */
  let marks = [];
  return {
    element,
    lock: (isLocked) => editor.setOption("readOnly", isLocked),
    text: () => editor.getValue(),
    setText: (text) => quietly(() => {
      editor.setOption("lineSeparator", lineEnd(text));
      editor.setValue(text);
    }),
    apply: (edits) => quietly(() => {
      for (const one of [...edits].sort((a, b) => b.from - a.from)) {
        editor.replaceRange(one.insert, editor.posFromIndex(one.from), editor.posFromIndex(one.to), "server");
      }
    }),
    reveal: (from, to) => quietly(() => {
      shown?.clear();
      const [a, b] = [editor.posFromIndex(from), editor.posFromIndex(to)];
      shown = editor.markText(a, b, { className: "source-picked" });
      if (!editor.hasFocus()) {
        editor.setCursor(a, undefined, { scroll: false });
        editor.scrollIntoView({ from: a, to: b.line - a.line > 12 ? a : b }, 40);
      }
    }),
    mark: (findings) => quietly(() => {
      marks.forEach((one) => one.clear());
      marks = [];
      editor.clearGutter("findings");
      for (const one of findings.slice(0, 300)) {
        if (one.offset === undefined) continue;
        const at = editor.posFromIndex(one.offset), end = editor.findWordAt(at).head;
        editor.setGutterMarker(at.line, "findings", h("span", { class: `finding-sign ${one.severity}`, title: one.message },
          one.severity === "error" ? "✕" : one.severity === "warning" ? "!" : "i"));
        marks.push(editor.markText(at, end.ch > at.ch ? end : { line: at.line, ch: at.ch + 1 }, { className: `source-${one.severity}`, title: one.message }));
      }
    }),
    focus: (at) => {
      editor.focus();
      editor.setCursor(editor.posFromIndex(at));
    },
    hasFocus: () => editor.hasFocus(),
    refresh: () => editor.refresh(),
  };
}

/** @param {Owner} owner @returns {Pane} */
function plain(owner) {
  const area = h("textarea", { class: "source-text", spellcheck: "false", autocomplete: "off", wrap: "off", "aria-label": "Source text", "data-key": "source" });
  const numbers = h("div", { class: "source-numbers", "aria-hidden": "true" });
  const element = h("div", { class: "source plain" }, numbers, area);
  let end = "\n", count = 0, isLocked = false, isMixed = false;
  /** @type {Map<number, string>} */
  let signs = new Map();
  // The field itself knows "\n" alone.
  const inside = (/** @type {number} */ at) => end === "\n" ? at : at - (toFile(area.value).slice(0, at).split("\r\n").length - 1);
  const outside = (/** @type {number} */ at) => end === "\n" ? at : at + area.value.slice(0, at).split("\n").length - 1;
  const toFile = (/** @type {string} */ text) => end === "\n" ? text : text.replaceAll("\n", end);
  const number = () => {
    const lines = area.value.split("\n").length;
    if (lines !== count) {
      count = lines;
      draw();
    }
  };
  const draw = () => { numbers.textContent = Array.from({ length: count }, (_, k) => `${signs.get(k + 1) ?? ""}${k + 1}`).join("\n"); };
  area.addEventListener("input", () => {
    number();
    owner.typed();
  });
  area.addEventListener("scroll", () => { numbers.scrollTop = area.scrollTop; });
  for (const name of ["keyup", "click"]) area.addEventListener(name, () => owner.cursor(outside(area.selectionStart)));
  return {
    element,
    lock: (locked) => {
      isLocked = locked;
      area.readOnly = isLocked || isMixed;
    },
    text: () => toFile(area.value),
    setText: (text) => {
      end = lineEnd(text);
      // Lines that end in several ways would not come out as they went in.
      isMixed = end === "\n" && text.includes("\r");
      area.readOnly = isLocked || isMixed;
      area.value = text;
      number();
    },
    apply: (edits) => {
      const [from, to, top] = [area.selectionStart, area.selectionEnd, area.scrollTop];
      for (const one of [...edits].sort((a, b) => b.from - a.from)) area.setRangeText(one.insert.replaceAll("\r\n", "\n"), inside(one.from), inside(one.to));
      area.setSelectionRange(from, to);
      area.scrollTop = top;
      number();
    },
    reveal: (from, to) => {
      if (document.activeElement === area) return;
      area.setSelectionRange(inside(from), inside(to));
      area.scrollLeft = 0;
      area.scrollTop = Math.max(0, (area.value.slice(0, inside(from)).split("\n").length - 3) * 18);
    },
    mark: (findings) => {
      signs = new Map(findings.filter((one) => one.line).map((one) => [one.line ?? 0, one.severity === "error" ? "✕ " : one.severity === "warning" ? "! " : "i "]));
      draw();
    },
    focus: (at) => {
      area.focus();
      area.setSelectionRange(inside(at), inside(at));
    },
    hasFocus: () => document.activeElement === area,
    refresh: () => {},
  };
}
