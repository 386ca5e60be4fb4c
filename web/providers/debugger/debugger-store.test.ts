import { describe, expect, test } from "vitest";

import type { EvaluateArgs } from "@miranda/contract/command-args.ts";
import type { BreakEvent } from "@miranda/contract/schemas/processors.ts";

import { createProcessorStore } from "../processor/processor-store.ts";
import { createDebuggerStore } from "./debugger-store.ts";

const stopAt = (line: number): BreakEvent => ({ job_id: "job", wob_key: 7, line_number: line, locals: { line } });

function open(answer: (args: EvaluateArgs) => unknown = ({ expression }) => `<${expression}>`) {
  const processor = createProcessorStore();
  const asked: EvaluateArgs[] = [];
  const debug = createDebuggerStore({
    graphId: "graph",
    processor,
    actions: {
      evaluate: async (args) => {
        asked.push(args);
        const { expression, frame } = args;
        const value = await answer(args);
        return { job_id: "job", expression, frame, value, cuts: [], output: "", error: null };
      },
      frame: (frame) => Promise.resolve({ job_id: "job", error: null, frame, locals: { frame }, cuts: [] }),
      unfold: () => Promise.reject(new Error("not here")),
      cancelEvaluate: () => Promise.resolve(),
      setExceptions: () => Promise.resolve(),
    },
  });
  return { processor, debug, asked };
}

describe("a debugger", () => {
  test("evaluates its watches at each stop, in a bounded time and in one's own run only", async () => {
    const { processor, debug, asked } = open();
    debug.addWatch(" total ");
    debug.addWatch("total");
    debug.follow(() => true);
    expect(asked).toEqual([]);
    processor.hit(stopAt(3));
    await expect.poll(() => debug.get().watches[0]?.result?.value).toBe("<total>");
    expect(asked).toEqual([{ expression: "total", frame: 0, seconds: 2, onlyOwn: true }]);
    processor.resume();
    expect(debug.get().watches).toEqual([{ expression: "total", result: undefined }]);
  });

  test("asks nothing for those who may only read", () => {
    const { processor, debug, asked } = open();
    debug.addWatch("total");
    debug.follow(() => false);
    processor.hit(stopAt(3));
    expect(asked).toEqual([]);
  });

  test("treats a stop that is published twice as one", () => {
    const { processor, debug } = open();
    debug.follow(() => true);
    processor.hit(stopAt(3));
    debug.chooseFrame(1);
    processor.hit(stopAt(3));
    expect(debug.get().frame).toBe(1);
    processor.resume();
    processor.hit(stopAt(4));
    expect(debug.get()).toMatchObject({ frame: 0, variables: { locals: { line: 4 } } });
  });

  test("shows the variables of the frame that is chosen, and evaluates there", async () => {
    const { processor, debug, asked } = open();
    debug.follow(() => true);
    processor.hit(stopAt(3));
    debug.chooseFrame(2);
    expect(debug.get().variables).toBeUndefined();
    await expect.poll(() => debug.get().variables?.locals).toEqual({ frame: 2 });
    await debug.run("x");
    expect(asked.at(-1)).toEqual({ expression: "x", frame: 2 });
    expect(debug.get().console[0]?.result?.value).toBe("<x>");
  });

  test("shows an error when the processor continues before the answer arrives", async () => {
    const late = Promise.withResolvers<string>();
    const { processor, debug } = open(() => late.promise);
    debug.follow(() => true);
    processor.hit(stopAt(3));
    const done = debug.run("slow()");
    processor.resume();
    expect(debug.get().console[0]?.result?.error).toBe("The processor went on.");
    late.resolve("too late");
    await done;
    expect(debug.get().console[0]?.result).toMatchObject({ error: "The processor went on.", value: null });
  });
});
