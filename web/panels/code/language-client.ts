import type {
  LanguageAnswer,
  LanguageDiagnostic,
  LanguageQuestion,
  LanguageState,
} from "@miranda/contract/schemas/code/language.ts";

import type { Realtime } from "../../api/socket.ts";
import type { SharedCode } from "./shared-code.ts";

interface Dependencies {
  code: SharedCode;
  graphId: string;
  realtime: Pick<Realtime, "send" | "on" | "isConnected" | "watch">;
  onDiagnostics: (diagnostics: LanguageDiagnostic[]) => void;
  onState: (state: LanguageState) => void;
}

type Kind = LanguageQuestion["kind"];
type Answer<Name extends Kind> = Extract<LanguageAnswer, { kind: Name }>;

/** A later answer is useless: the cursor has moved on. */
const answerTimeout = 10_000;
/** The first request waits until the language server has started and read all imports. */
const firstTimeout = 60_000;
const sendTimeout = 2_000;

let number = 0;

/** Language help for one node. The server answers; it has the text already. */
export function createLanguageClient({ code, graphId, realtime, onDiagnostics, onState }: Dependencies) {
  const { metadataId } = code;
  let held: LanguageDiagnostic[] | undefined;
  let hasAnswered = false;
  const waiting = new Map<number, (answer: LanguageAnswer | null) => void>();

  // A refusal means that there is no help; the code can be edited without it.
  const open = () => realtime.send("language_open", metadataId, () => undefined);

  /** Waits until typed text is sent: until then the positions belong to an older text. */
  function publishDiagnostics(): void {
    if (!held || !code.state().isSent) return;
    onDiagnostics(held);
    held = undefined;
  }

  function forget(): void {
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  }

  const stops = [
    // After every opening, also after a reconnect: the server helps with the documents that this connection has open.
    realtime.on("code_document", (event) => event.metadata_id === metadataId && open()),
    realtime.on("language_answer", (event) => {
      if (event.metadata_id !== metadataId) return;
      hasAnswered = true;
      waiting.get(event.number)?.(event.answer);
      waiting.delete(event.number);
    }),
    realtime.on("language_diagnostics", (event) => {
      if (event.metadata_id !== metadataId) return;
      held = event.diagnostics;
      publishDiagnostics();
    }),
    code.watch(publishDiagnostics),
    realtime.on("language_state", ({ graph_id, state }) => graph_id === graphId && onState(state)),
    realtime.watch(() => {
      if (!realtime.isConnected()) forget();
    }),
  ];
  if (code.state().live) open();

  return {
    /** Null when there is no answer. */
    async ask<Name extends Kind>(
      question: Extract<LanguageQuestion, { kind: Name }>,
      offset: number | null,
    ): Promise<Answer<Name> | null> {
      const at = offset === null ? null : code.place(offset);
      if (at === undefined || !(await code.sent(sendTimeout))) return null;
      const request = ++number;
      const answer = await new Promise<LanguageAnswer | null>((resolve) => {
        const limit = setTimeout(() => finish(null), hasAnswered ? answerTimeout : firstTimeout);
        const finish = (answer: LanguageAnswer | null) => {
          clearTimeout(limit);
          waiting.delete(request);
          resolve(answer);
        };
        waiting.set(request, finish);
        realtime.send("language_ask", metadataId, request, question, at, (refusal) => refusal !== null && finish(null));
      });
      return isAnswerTo<Name>(question, answer) ? answer : null;
    },

    close(): void {
      for (const stop of stops) stop();
      forget();
      realtime.send("language_close", metadataId);
    },
  };
}

function isAnswerTo<Name extends Kind>(
  question: Extract<LanguageQuestion, { kind: Name }>,
  answer: LanguageAnswer | null,
): answer is Answer<Name> {
  return answer?.kind === question.kind;
}
