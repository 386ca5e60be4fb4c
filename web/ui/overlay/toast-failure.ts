import { messageOf } from "../../message-of.ts";
import { toast } from "./toast.ts";

/** Shows a toast when something a person asked for fails. */
export function toastFailure(action: Promise<unknown>): void {
  action.catch((cause: unknown) => toast.error(messageOf(cause)));
}
