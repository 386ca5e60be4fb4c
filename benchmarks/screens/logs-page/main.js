import "../../../web/styles.css";

import { createElement, useEffect, useReducer, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { MemoryRouter } from "react-router";

import { createLineStore } from "../../../web/panels/logs/lines/line-store.ts";
import { LogsPanel } from "../../../web/panels/logs/logs-panel.tsx";

const rowHeight = 20;
const perEntry = 1_000;
const text = (at) => `2026-01-01 station ${at % 977} line ${at} depth=${(at % 400) / 10} ok`;

const bareLines = [];
let drawBare = () => undefined;

/** A minimal list of a million rows: fixed row height, plain text, and an input that filters nothing. */
function BareList() {
  const frame = useRef(null);
  const [top, setTop] = useState(0);
  const [, draw] = useReducer((count) => count + 1, 0);
  const [typed, setTyped] = useState("");
  const follows = useRef(true);
  drawBare = draw;
  useEffect(() => {
    if (follows.current) frame.current.scrollTop = frame.current.scrollHeight;
  });
  const first = Math.floor(top / rowHeight);
  const rows = bareLines.slice(first, first + 60);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = frame.current;
    follows.current = scrollHeight - scrollTop - clientHeight < 48;
    setTop(scrollTop);
  };
  return createElement(
    "div",
    { style: { flex: 1, display: "flex", flexDirection: "column", font: "12px monospace" } },
    createElement("input", { placeholder: "Filter", value: typed, onChange: (event) => setTyped(event.target.value) }),
    createElement(
      "div",
      { ref: frame, onScroll, "data-testid": "log-lines", style: { flex: 1, overflow: "auto" } },
      createElement(
        "div",
        { style: { height: bareLines.length * rowHeight } },
        createElement(
          "div",
          { style: { transform: `translateY(${first * rowHeight}px)` } },
          rows.map((line, at) => createElement("div", { key: first + at, style: { height: rowHeight } }, line)),
        ),
      ),
    ),
  );
}

const store = createLineStore();

function entries(from, count) {
  const made = [];
  for (let id = from; id < from + count; id += perEntry) {
    const lines = Array.from({ length: Math.min(perEntry, from + count - id) }, (_, at) => text(id + at));
    made.push({
      id,
      tag: Math.floor(id / perEntry) % 4,
      timestamp: new Date().toISOString(),
      message: lines.join("\n"),
      wob_key: 1 + (Math.floor(id / perEntry) % 3),
    });
  }
  return made;
}

const feeds = {
  ours: (from, count) => store.append(entries(from, count)),
  bare: (from, count) => {
    for (let at = from; at < from + count; at += 1) bareLines.push(text(at));
    drawBare();
  },
};

// Every line links to the node that printed it, as in the product.
const jump = { nameOf: (node) => `Node ${node}`, codePath: () => "/", reveal: () => undefined };

const root = createRoot(document.querySelector("#root"));
let next = 1;

window.bench = {
  show(which, lines) {
    next = 1;
    feeds[which](next, lines);
    next += lines;
    const panel = createElement(LogsPanel, { store, name: "bench", isLoading: false, jump });
    root.render(
      which === "bare"
        ? createElement(BareList)
        : createElement(MemoryRouter, null, createElement("div", { style: { flex: 1, display: "flex" } }, panel)),
    );
  },

  feed(which, count) {
    feeds[which](next, count);
    next += count;
  },

  /** Calls `work` in every frame for this time, and returns the length of each frame. */
  frames(milliseconds, work) {
    return new Promise((resolve) => {
      const lengths = [];
      let start;
      let last;
      const tick = (now) => {
        start ??= now;
        if (last !== undefined) lengths.push(now - last);
        work(now - start, last === undefined ? 0 : now - last);
        last = now;
        if (now - start < milliseconds) requestAnimationFrame(tick);
        else resolve(lengths);
      };
      requestAnimationFrame(tick);
    });
  },

  scroll(milliseconds) {
    const list = document.querySelector("[data-testid=log-lines]");
    list.scrollTop = 0;
    return this.frames(milliseconds, () => {
      list.scrollTop += 3_333;
    });
  },

  type(milliseconds) {
    const input = document.querySelector("input");
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const words = "line 7.*depth=1";
    let typed = 0;
    return this.frames(milliseconds, (elapsed) => {
      // Ten keys a second.
      if (elapsed < typed * 100) return;
      typed += 1;
      write.call(input, words.slice(0, typed % (words.length + 1)));
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  },

  async tail(which, milliseconds, perSecond) {
    const list = document.querySelector("[data-testid=log-lines]");
    list.scrollTop = list.scrollHeight;
    // Both lists follow the end only after they have noticed the scroll to it.
    await new Promise((resolve) => setTimeout(resolve, 500));
    let fed = 0;
    return this.frames(milliseconds, (elapsed) => {
      const due = Math.floor((elapsed * perSecond) / 1_000) - fed;
      if (due <= 0) return;
      fed += due;
      this.feed(which, due);
    });
  },
};
