import { useState } from "react";

import { browserWarning } from "../../limits.ts";

import { readStored, writeStored } from "../../storage.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { productName } from "../product.ts";

const dismissedKey = "firefoxWarningDismissed";

export function FirefoxWarning() {
  const [open, setOpen] = useState(isDue);

  function dismiss() {
    writeStored(dismissedKey, String(Date.now()));
    setOpen(false);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={dismiss}
      title="Your browser is unsupported"
      description={`${productName} is optimised for Safari and Chromium-based browsers. In Firefox some things may look or work differently.`}
      footer={
        <Button variant="primary" onClick={dismiss}>
          Continue Anyways
        </Button>
      }
    />
  );
}

function isDue(): boolean {
  if (!navigator.userAgent.includes("Firefox/")) return false;
  const dismissed = Number(readStored(dismissedKey));
  return !(Date.now() - dismissed < browserWarning.dismissedFor);
}
