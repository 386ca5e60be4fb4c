import { createElement, useState } from "react";

import { browserWarning } from "../../limits.ts";
import { readStored } from "../../storage.ts";
import { usePart } from "../../use-part.ts";

const loadDialog = () => import("./firefox-dialog.tsx").then((module) => module.FirefoxDialog);
const dismissedKey = "firefoxWarningDismissed";

export function FirefoxWarning() {
  const [isShown] = useState(isDue);
  const dialog = usePart(loadDialog, isShown);
  return dialog && dialog !== "failed" ? createElement(dialog, { dismissedKey }) : null;
}

function isDue(): boolean {
  if (!navigator.userAgent.includes("Firefox/")) return false;
  const dismissed = Number(readStored(dismissedKey));
  return !(Date.now() - dismissed < browserWarning.dismissedFor);
}
