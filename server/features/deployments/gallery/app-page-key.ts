import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { AppPlace } from "./apps-queries.ts";

// A key has the order and the id of a page's last app, as base64url of a JSON list. It begins with what is shown: a key of
// another list would start the next page anywhere.

// PostgreSQL refuses a text with a zero byte.
const Key = z.tuple([z.string(), z.string().refine((text) => !text.includes("\u0000")), Id]);

export function appPageKey(show: string, { place, id }: { place: string; id: string }): string {
  return Buffer.from(JSON.stringify([show, place, id])).toString("base64url");
}

export function readAppPageKey(show: string, key: string | undefined): AppPlace | undefined {
  if (key === undefined) return undefined;
  const { data } = Key.safeParse(parsed(key));
  if (data?.[0] !== show) throw new AppError("page_key_unreadable");
  return { order: data[1], id: data[2] };
}

function parsed(key: string): unknown {
  try {
    return JSON.parse(Buffer.from(key, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
