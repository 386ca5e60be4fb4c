import { call as limits } from "@miranda/contract/limits.ts";
import type { IncomingHttpHeaders } from "node:http";

import { AppError } from "../../platform/errors/app-error.ts";

/** The key that makes a repeated call the same call. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || key === "") return undefined;
  if (typeof key !== "string" || key.length > limits.keyMax || !/^[\x21-\x7e]+$/.test(key))
    throw new AppError("bad_request", `An Idempotency-Key has 1 to ${limits.keyMax} visible characters.`);
  return key;
}
