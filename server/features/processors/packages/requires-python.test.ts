import type { CommandEvent, ExceptionEvent } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { findPython } from "../../../platform/python.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  await bench.start();
});
afterAll(async () => {
  bench?.close();
  await server?.close();
});

const wants = (specifier: string, ...lines: string[]) =>
  `# /// script\n# requires-python = "${specifier}"\n# dependencies = []\n# ///\n${script(...lines)}`;

it("R8 refuses a node whose Python no session here has, names what there is, and runs nothing", async () => {
  const own = (await findPython())?.version.join(".");
  const train = await bench.node(wants("==3.9.*", "print('ran')"), "Train");
  await bench.node(script("print('other')"), "Other");
  const ended = await bench.run();
  expect(ended.workflow_state).toBe("READY");
  const event = await bench.listener.wait<ExceptionEvent>("exception");
  expect(event).toMatchObject({ wob_key: train, line_number: 2 });
  expect(event.traceback).toContain(`Train asks for Python ==3.9.*, and this session has Python ${own}.`);
  expect((await bench.lines()).map(([, text]) => text)).not.toContain("other");

  const since = bench.listener.received.length;
  await bench.until("run-setup", "", "READY");
  const setup = await bench.listener.wait<CommandEvent>("run-setup", () => true, since);
  expect(setup.error).toContain("Train asks for Python ==3.9.*");

  await bench.code(train, wants("9", "print('ran')"));
  const later = bench.listener.received.length;
  await bench.run();
  const wrong = await bench.listener.wait<ExceptionEvent>("exception", () => true, later);
  expect(wrong.traceback).toContain("Train: requires-python has '9', which compares no versions.");

  await bench.code(train, wants(">=3.11", "print('ran')"));
  await bench.run();
  const lines = (await bench.lines()).map(([, text]) => text);
  expect(lines).toEqual(expect.arrayContaining(["ran", "other"]));
});
