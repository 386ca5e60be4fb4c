import { isRecord } from "@miranda/contract/json.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";

import { root, sourceFiles } from "../../../scripts/source-files.ts";

// One wrong line of a child process once ended the server for everybody: its listener threw, and nobody catches that.

const listening = new Set(["on", "once", "addListener", "prependListener", "addEventListener", "onAny", "use"]);
const timing = new Set(["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "nextTick"]);
/** Most files have neither, and parsing takes long. */
const mayListen = new RegExp(`\\b(?:${[...listening, ...timing].join("|")})\\(`);
/** What cannot throw: the two functions of a promise, and the helper's own. */
const harmless = new Set(["resolve", "reject", "ignore"]);

const exceptions = new Set([
  // Parsing calls its own listeners: what they throw is how it refuses the file.
  "server/features/graphs/graphml/parse/parser.ts",
]);

interface Node {
  type: string;
  start: number;
}

/** The name of `x` and of `x(…)`. */
function nameOf(node: Node): string | undefined {
  const named: unknown = node.type === "CallExpression" ? Reflect.get(node, "callee") : node;
  return isRecord(named) && typeof named["name"] === "string" ? named["name"] : undefined;
}

/** The listener of a call that nobody would catch, unless it goes through `safely`. */
function unsafeListeners(path: string, text: string): string[] {
  if (!mayListen.test(text)) return [];
  const { program } = parseSync(path, text);
  const named = new Set(harmless);
  const isSafe = (given: Node): boolean =>
    given.type === "Identifier"
      ? named.has(nameOf(given) ?? "")
      : given.type === "CallExpression" && nameOf(given) === "safely";
  const usesPromises = /import \{[^}]*\bsetTimeout\b(?! as)[^}]*\} from "node:timers\/promises"/.test(text);
  const found: Node[] = [];
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init && isSafe(init)) named.add(id.name);
    },
  }).visit(program);
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      const name =
        callee.type === "Identifier"
          ? callee.name
          : callee.type === "MemberExpression" && callee.property.type === "Identifier" && callee.property.name;
      if (!name) return;
      const isTimer = timing.has(name) && !(usesPromises && name === "setTimeout");
      const isEvent = listening.has(name) && callee.type === "MemberExpression";
      if (!isTimer && !isEvent) return;
      // Our own messages between servers: other-servers.ts guards their handlers.
      if (isEvent && callee.object.type === "Identifier" && callee.object.name === "otherServers") return;
      const listener = given[isTimer || name === "onAny" || name === "use" ? 0 : 1];
      // SQL joins `on` two names, and other things are "used" that are no functions.
      const isFunction =
        listener && /^(?:Identifier|MemberExpression|CallExpression|.*Function.*)$/.test(listener.type);
      const isJoin = name === "on" && given.length > 2;
      const isUse = name === "use" && !/Function|CallExpression/.test(listener?.type ?? "");
      if (isFunction && !isJoin && !isUse && !isSafe(listener)) found.push(listener);
    },
  }).visit(program);
  return found.map(({ start }) => `${path}:${text.slice(0, start).split("\n").length}`);
}

const servers = sourceFiles().filter(
  (path) => /^server\/(?!testing|security|faults).*\.ts$/.test(path) && !/\.(?:test|fault)\.ts$/.test(path),
);

it("passes every listener and every timer of the server through safely()", { timeout: 300_000 }, () => {
  const unsafe = servers
    .filter((path) => !exceptions.has(path))
    .flatMap((path) => unsafeListeners(path, readFileSync(join(root, path), "utf8")));
  expect(unsafe).toEqual([]);
});

it("finds a listener that does not", () => {
  const code = `
    child.stdout.on("data", (chunk) => read(chunk));
    socket.once("close", end);
    setTimeout(end, 5);
    signal.addEventListener("abort", () => end(), { once: true });
    stream.on("data", safely(read));
    const quiet = safely(end);
    setInterval(quiet, 5);
    join.on("a.id", "=", "b.id");
    child.once("exit", resolve);`;
  expect(unsafeListeners("x.ts", code)).toEqual(["x.ts:2", "x.ts:3", "x.ts:4", "x.ts:5"]);
});
