import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";

import { reproductionsQuery } from "../../../api/models/lineage.ts";
import { Button } from "../../../ui/button.tsx";
import { useOpenModel } from "../open-model.tsx";
import { ReproduceDialog } from "./reproduce-dialog.tsx";

/** The button that makes a version again. Where it cannot be, it says why. */
export function Reproduce({ version }: { version: number }) {
  const { model, mayWrite } = useOpenModel();
  const { data } = useQuery(reproductionsQuery(model.id, version));
  const [isOpen, setOpen] = useState(false);
  if (!data || !mayWrite) return null;
  if (!data.possible)
    return (
      <p className="max-w-96 text-sm text-ink-muted" data-testid="not-reproducible">
        It cannot be reproduced. {data.reason}
      </p>
    );
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <RotateCcw className="size-4" aria-hidden="true" />
        Reproduce
      </Button>
      {isOpen ? <ReproduceDialog version={version} plan={data} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
