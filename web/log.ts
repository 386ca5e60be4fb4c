/** The one place that writes to the console: faults worth a developer's look that no person is bothered with. */
export function logWarning(message: string, cause?: unknown): void {
  // oxlint-disable-next-line no-console
  console.warn(message, cause);
}
