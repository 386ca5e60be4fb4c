const onlyHints = new WeakSet<Event>();

/** Called when Escape closes a hint. */
export function closeHint(event: KeyboardEvent): void {
  onlyHints.add(event);
}

/** Whether Escape closed a hint and nothing else. It then also does what it does without a hint. */
export function isOnlyForHint(event: KeyboardEvent): boolean {
  return onlyHints.has(event);
}
