import { isRecord } from "./is-record.ts";

// Storage can be switched off or full. The product works without it, so a failure is not an error.

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The stored object; an empty one when there is none or it cannot be read. */
export function readStoredRecord(key: string): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(readStored(key) ?? "{}");
    return isRecord(stored) ? stored : {};
  } catch {
    return {};
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    return;
  }
}
