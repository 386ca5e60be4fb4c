import type {
  LanguageAnswer,
  LanguageAnswerEvent,
  LanguageDiagnosticsEvent,
  LanguageQuestion,
} from "@miranda/contract/schemas/code/language.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as Y from "yjs";

import type { SharedCode } from "./shared-code.ts";
import { until } from "./test-socket.ts";

const run = promisify(execFile);
let number = 0;

type Kind = LanguageQuestion["kind"];
type Answer<Name extends Kind> = Extract<LanguageAnswer, { kind: Name }> | null;

/** An offset in the text: the end of the mark, unless a bar in it marks the place. */
function offsetOf(code: SharedCode, mark: string): number {
  const bar = mark.indexOf("|");
  const at = code.text.indexOf(mark.replace("|", ""));
  if (at < 0) throw new Error(`There is no ${mark} in the code.`);
  return at + (bar < 0 ? mark.length : bar);
}

export function placeIn(code: SharedCode, mark: string): Buffer {
  const place = Y.createRelativePositionFromTypeIndex(code.doc.getText("code"), offsetOf(code, mark));
  return Buffer.from(Y.encodeRelativePosition(place));
}

/** Asks about a place and waits for the answer. */
export async function askAbout<Name extends Kind>(
  code: SharedCode,
  question: Extract<LanguageQuestion, { kind: Name }>,
  mark: string | null,
): Promise<Answer<Name>> {
  const mine = ++number;
  const at = mark === null ? null : placeIn(code, mark);
  const refusal = await code.socket?.ask("language_ask", code.id, mine, question, at);
  if (refusal !== null) throw new Error(`refused: ${refusal}`);
  const isMine = (event: LanguageAnswerEvent) => event.number === mine;
  await until(
    () => code.socket?.all<LanguageAnswerEvent>("language_answer").some(isMine) === true,
    "no answer",
    80_000,
  );
  return code.socket?.all<LanguageAnswerEvent>("language_answer").find(isMine)?.answer as Answer<Name>;
}

/** The last diagnostics. */
export function wrongWith(code: SharedCode): string[] | undefined {
  const events = code.socket?.all<LanguageDiagnosticsEvent>("language_diagnostics") ?? [];
  return events
    .findLast(({ metadata_id }) => metadata_id === code.id)
    ?.diagnostics.filter(({ severity }) => severity !== "hint")
    .map(({ message }) => message);
}

/** The language servers of one test server, found by the folder they may read. */
export async function languageServers(dataFolder: string): Promise<number[]> {
  const { stdout } = await run("ps", ["-eo", "pid,args"]);
  return stdout
    .split("\n")
    .filter((line) => line.includes("pyright-worker") && line.includes(dataFolder))
    .map((line) => Number.parseInt(line, 10));
}
