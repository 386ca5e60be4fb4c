import { describe, expect, it, vi } from "vitest";

import { HttpError } from "../../../api/http.ts";
import { type AskForToken, withExecutionToken } from "./execution-token.ts";
import { failureOf, jobIn, rig } from "../testing.ts";
import { createTokenPrompt } from "./token-prompt.ts";

const refusal = () =>
  Promise.reject(new HttpError(403, "Invalid execution token", { code: "invalid_execution_token" }));

describe("the execution token", () => {
  it("S8-014 is asked for and the call made again up to 5 times, then it gives up", async () => {
    const call = vi.fn<() => Promise<never>>(refusal);
    const askForToken = vi.fn<AskForToken>(({ onGenerated }) => {
      onGenerated();
      return { closed: new Promise<void>(() => undefined) };
    });
    const nothing = () => undefined;
    await expect(withExecutionToken({ call, askForToken, onCancel: nothing, onRetry: nothing })).rejects.toThrow(
      "Invalid execution token",
    );
    expect(call).toHaveBeenCalledTimes(6);
    expect(askForToken).toHaveBeenCalledTimes(5);
  });

  it("S8-013 is followed by the same command once more", async () => {
    let held = false;
    const { actions, tokens, commands, store } = rig({
      job: jobIn("READY"),
      calls: { command: () => (held ? Promise.resolve({}) : refusal()) },
    });
    const started = actions.start();
    await vi.waitFor(() => expect(tokens).toHaveLength(1));
    held = true;
    tokens[0]?.onGenerated();
    await started;
    expect(commands()).toEqual(["command graph start -1", "command graph start -1"]);
    expect(store.get().shown).toBe("RUNNING");
  });

  it("S8-015 calls the cancel callback when none could be made", () => {
    const prompt = createTokenPrompt();
    const onCancel = vi.fn<() => void>();
    prompt.ask({ onGenerated: () => undefined, onCancel });
    prompt.failed();
    expect(onCancel).toHaveBeenCalledTimes(1);
    expect(prompt.isOpen()).toBe(true);
  });

  it("a cancelled dialog ends the command and takes its state back", async () => {
    const { actions, tokens, closeToken, store, commands } = rig({ job: jobIn("READY"), calls: { command: refusal } });
    const outcome = failureOf(actions.start());
    await vi.waitFor(() => expect(tokens).toHaveLength(1));
    tokens[0]?.onCancel();
    expect(store.get().shown).toBe("READY");
    closeToken();
    expect(await outcome).toBe('Failed to call command "start" | Invalid execution token.');
    expect(commands()).toHaveLength(1);
  });

  it("one dialog serves all who wait", async () => {
    const prompt = createTokenPrompt();
    const generated = vi.fn<() => void>();
    prompt.ask({ onGenerated: generated, onCancel: () => undefined });
    prompt.ask({ onGenerated: generated, onCancel: () => undefined });
    prompt.generated();
    expect(generated).toHaveBeenCalledTimes(2);
    expect(prompt.isOpen()).toBe(false);
  });
});
