import { errors, type ErrorCode } from "@miranda/contract/errors.ts";

/** The one error a feature throws when it refuses something. The message is what the person will read. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = errors[code]) {
    super(message);
    this.code = code;
  }
}
