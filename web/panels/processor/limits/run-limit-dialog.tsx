import { useId, useState } from "react";

import { budget as limits } from "@miranda/contract/limits.ts";
import { numberProblem } from "@miranda/contract/number-rule.ts";

import { useCurrency } from "../../../api/settings.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

interface RunLimitDialogProps {
  onRun: (budget: number) => void;
  onClose: () => void;
}

/** Runs with a limit of its own. Open while it is mounted. */
export function RunLimitDialog({ onRun, onClose }: RunLimitDialogProps) {
  const currency = useCurrency();
  const formId = useId();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run with a limit"
      description="When the run has cost this much, it pauses and asks you."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary">
            Run
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const wrong = numberProblem("Limit", limits, "any", text);
          setProblem(wrong);
          if (wrong !== undefined) return;
          onRun(Number(text));
          onClose();
        }}
      >
        <TextField
          label={`Limit in ${currency}`}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          error={problem}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
