/** The only place that writes to the console: faults for developers that a person need not see. */
export function logWarning(message: string, cause?: unknown): void {
  // oxlint-disable-next-line no-console
  console.warn(message, cause);
}
