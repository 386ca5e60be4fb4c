import { errors, type ErrorCode } from "@miranda/contract/errors.ts";

interface CodePlace {
  node: number;
  line: number;
}

/** The one error that a feature throws to refuse something. People read its message. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  /** In how many seconds the same may be tried again, where waiting helps. */
  readonly retryAfter: number | undefined;
  /** Where in the code of which node the reason is. */
  readonly place: CodePlace | undefined;

  /** More about the reason, for programs that accept JSON. */
  readonly details: Readonly<Record<string, unknown>> | undefined = undefined;

  constructor(code: ErrorCode, message: string = errors[code], retryAfter?: number, place?: CodePlace) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
    this.place = place;
  }
}
