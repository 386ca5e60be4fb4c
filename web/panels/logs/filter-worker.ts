import { logMatcher } from "./log-levels.ts";

import { withoutAnsi } from "./ansi.ts";
import type { FilterAnswer, FilterRequest, FromFilterWorker } from "./filter-messages.ts";

// A person's pattern runs in a worker, where it can be ended. On the page it could not.

const kept = new Map<number, string[]>();
let pattern = "";
let matches = logMatcher("");

function post(message: FromFilterWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function linesFor({ from, text, forget }: FilterRequest): string[] {
  if (forget === true) kept.clear();
  if (text !== undefined) kept.set(from, text.split("\n").map(withoutAnsi));
  return kept.get(from) ?? [];
}

function test(request: FilterRequest): FilterAnswer {
  if (request.pattern !== pattern) {
    ({ pattern } = request);
    matches = logMatcher(pattern);
  }
  const lines = linesFor(request);
  const hits = new Uint8Array(lines.length);
  try {
    lines.forEach((line, at) => {
      hits[at] = matches(line) ? 1 : 0;
    });
  } catch {
    // A pattern can be too large to run. Like every invalid pattern, it matches everything.
    hits.fill(1);
  }
  return { job: request.job, from: request.from, hits };
}

addEventListener("message", ({ data }: MessageEvent<FilterRequest>) => {
  const answer = test(data);
  post(answer, [answer.hits.buffer]);
});

post({ ready: true });
