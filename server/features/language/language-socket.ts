import type { ClientEvents } from "@miranda/contract/events.ts";
import { LanguageQuestion } from "@miranda/contract/schemas/code/language.ts";
import { MetadataId } from "@miranda/contract/schemas/forms.ts";
import * as Y from "yjs";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Documents } from "../code/documents-service.ts";
import type { SharedDocument } from "../code/documents-service.ts";
import type { ClientSocket, EventHandler, Extension } from "../realtime/realtime-service.ts";
import type { Language } from "./language-service.ts";

interface Dependencies {
  language: Language;
  documents: Pick<Documents, "find">;
  report(error: unknown): void;
}

const placeMax = 256;
const QuestionNumber = z.int();

/** The events of language help. Available to everybody who has a node's code open, readers too. */
export function languageEvents({ language, documents, report }: Dependencies): Extension {
  function opened(socket: ClientSocket, given: unknown): SharedDocument {
    const { data: metadataId } = MetadataId.safeParse(given);
    const document = metadataId === undefined ? undefined : documents.find(metadataId);
    if (!document?.peers.has(socket)) throw new AppError("draft_out_of_step");
    if (!socket.data.graphs.has(document.graphId) || document.gone) throw new AppError("node_not_found");
    return document;
  }

  function ask(socket: ClientSocket, id: unknown, given: unknown, asked: unknown, at: unknown): void {
    const document = opened(socket, id);
    const { data: question } = LanguageQuestion.safeParse(asked);
    const { data: number } = QuestionNumber.safeParse(given);
    if (!question || number === undefined) throw new AppError("bad_request");
    const offset = question.kind === "description" ? undefined : offsetOf(document, at);
    const metadata_id = document.metadataId;
    // Not awaited: the person goes on typing, and those events come after this one.
    language
      .ask(document, socket, question, offset)
      .catch((error: unknown) => {
        report(error);
        return null;
      })
      .then((answer) => socket.emit("language_answer", { metadata_id, number, answer }))
      .catch(report);
  }

  return {
    questions: new Set<keyof ClientEvents>(["language_open", "language_ask"]),
    handlers: new Map<keyof ClientEvents, EventHandler>([
      ["language_open", (socket, id) => language.open(opened(socket, id), socket)],
      ["language_ask", ask],
      ["language_close", (socket, id) => language.close(Number(id), socket)],
    ]),
    ended: language.closeAll,
  };
}

function offsetOf({ doc, text }: SharedDocument, at: unknown): number {
  if (!Buffer.isBuffer(at) || at.length > placeMax) throw new AppError("bad_request");
  let index: number | undefined;
  try {
    const place = Y.createAbsolutePositionFromRelativePosition(Y.decodeRelativePosition(at), doc);
    index = place?.type === text ? place.index : undefined;
  } catch {
    throw new AppError("bad_request");
  }
  if (index === undefined) throw new AppError("draft_out_of_step");
  return index;
}
