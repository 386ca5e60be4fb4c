/** Deployments as tools of an assistant. Sizes are in bytes or characters. */
export const mcp = {
  toolsPerPage: 50,
  cursorMax: 200,
  descriptionMax: 2_000,
  // Files are sent inside of it, as base64.
  bodyMax: 16 * 1024 * 1024,
  // A larger body is scanned before it is parsed: it may be one long text, but no endless list.
  unseenMax: 1024 * 1024,
  valuesMax: 10_000,
  imagesBytes: 5_000_000,
  textMax: 100_000,
  // How long a call of a tool waits for its result.
  waitMs: 15 * 60_000,
  progressEveryMs: 10_000,
  lookEveryMs: 1_000,
  batchMax: 10,
  openPerCaller: 10,
  openInAll: 200,
  retrySeconds: 10,
} as const;
