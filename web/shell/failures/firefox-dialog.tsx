import { useState } from "react";

import { writeStored } from "../../storage.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { productName } from "../product.ts";

export function FirefoxDialog({ dismissedKey }: { dismissedKey: string }) {
  const [open, setOpen] = useState(true);

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
