import { toast } from "./overlay/toast.ts";

/** Copies an address of this site. Where the browser forbids it, the person can copy it from the message. */
export async function copyLink(path: string): Promise<void> {
  const { href } = new URL(path, location.origin);
  try {
    await navigator.clipboard.writeText(href);
    toast.message("The link is in the clipboard.");
  } catch {
    toast.error(`Your browser did not allow copying. The link is ${href}`);
  }
}
