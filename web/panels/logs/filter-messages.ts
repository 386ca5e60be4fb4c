/** To the worker: lines to test. Without `text` it uses the lines that it already has from that index. */
export interface FilterRequest {
  job: number;
  pattern: string;
  from: number;
  /** Joined by newlines; undefined when they were sent before. */
  text?: string | undefined;
  /** Forget all lines that were sent before. */
  forget?: boolean;
}

export interface FilterAnswer {
  job: number;
  from: number;
  /** One byte per line: 1 when it matches. */
  hits: Uint8Array<ArrayBuffer>;
}

export type FromFilterWorker = { ready: true } | FilterAnswer;
