import { type FormEvent, useEffect, useRef, useState } from "react";
import { useParams } from "react-router";

import { secret as limits } from "@miranda/contract/limits.ts";

import { useSaveSecret, useSecretNames } from "../../../api/secrets.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { panelInput } from "../panel.tsx";

/** Whether the project has this secret, and a field to set its value. The value is never shown. */
export function InspectorSecret({ name }: { name: string }) {
  const { projectId = "" } = useParams();
  const { data: names, error } = useSecretNames(projectId, true);
  const save = useSaveSecret(projectId);
  const [value, setValue] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isOpen = value !== null;
  // The person has just opened this field.
  useEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);
  const isSet = names?.includes(name);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!value) return;
    setBusy(true);
    try {
      await save(name, value);
      setValue(null);
      setRefusal(null);
    } catch (cause) {
      setRefusal(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  const problem = refusal ?? error?.message;
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-2 text-xs text-ink-faint">
        <span>{names ? (isSet ? "Set in the project." : "Not set in the project.") : null}</span>
        {!isOpen ? (
          <Button size="sm" variant="ghost" onClick={() => setValue("")}>
            {isSet ? "Replace" : "Set"} {name}
          </Button>
        ) : null}
      </div>
      {!isOpen ? null : (
        <form className="flex gap-2" onSubmit={(event) => void submit(event)}>
          <input
            type="password"
            ref={input}
            autoComplete="new-password"
            aria-label={`Value of ${name}`}
            value={value}
            maxLength={limits.valueMax}
            onChange={(event) => setValue(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setValue(null);
            }}
            className={`${panelInput} h-7 text-sm`}
          />
          <Button type="submit" size="sm" busy={isBusy} disabled={value === ""}>
            Save
          </Button>
        </form>
      )}
      {problem ? (
        <p role="alert" className="text-xs text-danger-text">
          {problem}
        </p>
      ) : null}
    </>
  );
}
