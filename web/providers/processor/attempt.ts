import { toast } from "../../ui/overlay/toast.ts";

/** Waits for something a person asked for, and tells them when it failed. */
export function attempt(action: Promise<unknown>): void {
  action.catch((cause: unknown) => toast.error(cause instanceof Error ? cause.message : String(cause)));
}
