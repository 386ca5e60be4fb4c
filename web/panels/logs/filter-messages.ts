/** To the worker: lines to test, or the number under which it already has them. */
export interface FilterRequest {
  job: number;
  pattern: string;
  from: number;
  /** Joined by newlines; undefined when they were sent before. */
  text?: string | undefined;
  /** Forget what was sent before. */
  forget?: boolean;
}

export interface FilterAnswer {
  job: number;
  from: number;
  /** One for each line: 1 when it matches. */
  hits: Uint8Array<ArrayBuffer>;
}

export type FromFilterWorker = { ready: true } | FilterAnswer;
