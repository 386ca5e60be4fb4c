import { PackagePlus } from "lucide-react";
import { useState } from "react";

import { packageOfTraceback } from "@miranda/contract/packages/import-names.ts";
import type { ExceptionInfo } from "@miranda/contract/schemas/processors.ts";

import { addPackage } from "../../api/code.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/overlay/toast.ts";

/** Adds the missing package that caused an exception to the node's requirements. */
export function AddPackage({ exception, onAdded }: { exception: ExceptionInfo; onAdded: () => void }) {
  const isViewOnly = useGraph((view) => view.viewOnly);
  const [isAdding, setIsAdding] = useState(false);
  const name = packageOfTraceback(exception.traceback);
  if (name === undefined || isViewOnly) return null;
  const add = async () => {
    setIsAdding(true);
    try {
      await addPackage(exception.wobId, name);
      toast.success(`Added ${name}. The next run installs it.`);
      onAdded();
    } finally {
      setIsAdding(false);
    }
  };
  return (
    <Button size="sm" variant="primary" disabled={isAdding} onClick={() => toastFailure(add())}>
      <PackagePlus className="size-3.5" aria-hidden="true" />
      Add {name} to this node
    </Button>
  );
}
