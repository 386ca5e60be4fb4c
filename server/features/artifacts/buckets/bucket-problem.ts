import { messageOf, systemCodeOf } from "../../../platform/errors/error-details.ts";
import { PrivateAddress } from "../../../platform/public-address.ts";

/** Why a bucket did not do what we asked, in a sentence for its owner. */
export class BucketProblem extends Error {
  override name = "BucketProblem";
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;

  constructor(words: string, status?: number, isTemporary = false) {
    super(words);
    this.status = status;
    this.isTemporary = isTemporary;
  }
}

const busyCodes = new Set(["SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "TooManyRequests"]);

/** People see only the status and the code of the answer: they may not be allowed to read from that address. */
export function refusal(status: number, body: string): BucketProblem {
  const [, code = ""] = /<Code>(\w{1,60})<\/Code>/.exec(body) ?? [];
  if (status === 429 || status >= 500 || busyCodes.has(code))
    return new BucketProblem(`Its server failed (${[status, code].join(" ").trim()}).`, status, true);
  return new BucketProblem(wordsOf(status, code), status);
}

function wordsOf(status: number, code: string): string {
  if (status >= 300 && status < 400)
    return "Its server sends us to another address. Check the region and the endpoint.";
  if (code === "NoSuchBucket") return "There is no bucket of this name.";
  if (code === "InvalidAccessKeyId") return "Its server does not know the access key.";
  if (code === "SignatureDoesNotMatch") return "The secret key does not belong to the access key.";
  if (code === "RequestTimeTooSkewed") return "The clock of this server is wrong, so the bucket refuses its signature.";
  if (status === 401 || status === 403) return "Access denied: the keys may not do this.";
  if (code === "") return `What answers there is not S3 (status ${status}).`;
  return `Its server refused (${status} ${code}).`;
}

const causes: Record<string, string> = {
  ECONNREFUSED: "Nothing answers at that address.",
  ECONNRESET: "The connection was closed.",
  EPIPE: "The connection was closed.",
  ENOTFOUND: "There is no such host.",
  EAI_AGAIN: "The host name could not be looked up.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The host cannot be reached.",
  ETIMEDOUT: "The host does not answer.",
};
/** Trying these again at once does not help. */
const lasting = new Set(["ENOTFOUND", "ECONNREFUSED"]);

export function connectionProblem(error: unknown): BucketProblem {
  if (error instanceof BucketProblem) return error;
  if (error instanceof PrivateAddress)
    return new BucketProblem("That address is private. The operator of this server has not allowed that.");
  const code = systemCodeOf(error) ?? "";
  const words = causes[code] ?? `The connection failed (${messageOf(error).slice(0, 200)}).`;
  return new BucketProblem(words, undefined, !lasting.has(code));
}
