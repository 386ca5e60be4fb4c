import type { RefusedPlace } from "@miranda/contract/error-headers.ts";
import { errors, type ErrorCode } from "@miranda/contract/errors.ts";

/** The one error that a feature throws to refuse something. People read its message. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  /** In how many seconds the same may be tried again, where waiting helps. */
  readonly retryAfter: number | undefined;
  readonly place: RefusedPlace | undefined;

  /** More about the reason, for programs that accept JSON. */
  readonly details: Readonly<Record<string, unknown>> | undefined = undefined;

  constructor(code: ErrorCode, message: string = errors[code], retryAfter?: number, place?: RefusedPlace) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
    this.place = place;
  }
}
