import { useState } from "react";

import type { ErrorCode } from "@miranda/contract/errors.ts";

import { isRefusedWith } from "../../api/http.ts";
import { useForm } from "../../ui/form/use-form.ts";

export interface VersionedSave {
  save: (fields: FormData) => Promise<void>;
  /** The refusal that says that somebody else has changed the values meanwhile. */
  refusedWith: ErrorCode;
}

/** A form for values that have a version. `isOutdated`: it was refused because somebody else has changed them. */
export function useVersionedForm({ save, refusedWith }: VersionedSave) {
  const [isOutdated, setOutdated] = useState(false);
  const form = useForm(async (fields) => {
    try {
      await save(fields);
    } catch (cause) {
      setOutdated(isRefusedWith(cause, refusedWith));
      throw cause;
    }
  });
  return { ...form, isOutdated: isOutdated && form.error !== null };
}
