import { continueArgs } from "@miranda/contract/command-args.ts";

import type { Workbench } from "./workbench.ts";

/** A program with a function and a loop, to stop in. The tests know its lines by their numbers. */
export const looping = `from miranda import *

def double(number):
    result = number * 2
    return result

class Script(Node):
    def run(self):
        total = 0
        for number in range(3):
            total += double(number)
        print("total", total)
`;

/** Continues a stopped program without breakpoints, until it has ended. */
export async function runToTheEnd(bench: Workbench): Promise<void> {
  const from = bench.listener.received.length;
  await bench.send("continue", continueArgs([]));
  await bench.state(from, "READY");
}
