import { AppError } from "../../../platform/errors/app-error.ts";
import { statuses as appStatuses } from "../../../platform/errors/error-statuses.ts";

/** The status of each refusal, as MLflow's own server has them. Its clients try 429 and 5xx again, for minutes. */
const statuses = {
  INVALID_PARAMETER_VALUE: 400,
  RESOURCE_ALREADY_EXISTS: 400,
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RESOURCE_DOES_NOT_EXIST: 404,
  ENDPOINT_NOT_FOUND: 404,
  RESOURCE_LIMIT_EXCEEDED: 413,
  INVALID_STATE: 400,
  REQUEST_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  TEMPORARILY_UNAVAILABLE: 503,
} as const;

export type MlflowErrorCode = keyof typeof statuses;

/** A refusal in the words of MLflow. */
export class MlflowError extends Error {
  override name = "MlflowError";
  readonly code: MlflowErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(code: MlflowErrorCode, message: string, status: number = statuses[code], retryAfter?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export const invalid = (message: string) => new MlflowError("INVALID_PARAMETER_VALUE", message);
export const missing = (message: string) => new MlflowError("RESOURCE_DOES_NOT_EXIST", message);

/** A refusal of the rest of the product, as a client of MLflow understands it. */
export function asMlflowError(error: AppError): MlflowError {
  const status = appStatuses[error.code];
  return new MlflowError(codeOf(status), error.message, status, error.retryAfter);
}

function codeOf(status: number): MlflowErrorCode {
  switch (status) {
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "RESOURCE_DOES_NOT_EXIST";
    case 413:
      return "RESOURCE_LIMIT_EXCEEDED";
    case 429:
      return "REQUEST_LIMIT_EXCEEDED";
    case 503:
      return "TEMPORARILY_UNAVAILABLE";
    default:
      return status >= 500 ? "INTERNAL_ERROR" : "INVALID_PARAMETER_VALUE";
  }
}
