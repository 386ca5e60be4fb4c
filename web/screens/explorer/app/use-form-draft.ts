import { useEffect, useRef, useState } from "react";

import type { FormValues } from "../../../panels/app-form/form-values.ts";
import { dropDraft, type FormDraft, readDraft, writeDraft } from "./form-draft.ts";
import { dropKeptFiles, findKeptFile, keepFile } from "./kept-files.ts";
import { newKey } from "./new-key.ts";

interface Restored {
  onFile: (field: string, file: File) => void;
  /** A chosen file that this browser did not keep. */
  onGone: (field: string, name: string) => void;
}

/** Keeps what was entered into a form until it is run. Texts are there at once, files a moment later. */
export function useFormDraft(key: string, restored: Restored) {
  const [begun] = useState(() => readDraft(key));
  const files = useRef<FormDraft["files"]>(begun.files);
  const latest = useRef<FormValues>(begun.values);
  const told = useRef(restored);
  useEffect(() => {
    told.current = restored;
  });

  useEffect(() => {
    for (const [field, { name, key: place }] of Object.entries(begun.files)) {
      const finding = place === null ? Promise.resolve(undefined) : findKeptFile(place);
      void finding.then((file) => {
        // Somebody may have chosen another one meanwhile.
        if (files.current[field]?.key !== place) return;
        if (file) told.current.onFile(field, file);
        else told.current.onGone(field, name);
      });
    }
  }, [begun]);

  function forget(field: string): void {
    const { [field]: gone, ...rest } = files.current;
    files.current = rest;
    if (gone?.key) void dropKeptFiles([gone.key]);
  }

  return {
    values: begun.values,

    keep(values: FormValues, field: string): void {
      const value = values[field];
      latest.current = values;
      forget(field);
      if (value instanceof File) {
        const place = newKey();
        files.current = { ...files.current, [field]: { name: value.name, key: null } };
        void keepFile(place, value).then((isKept) => {
          if (latest.current[field] !== value) return void dropKeptFiles([place]);
          files.current = { ...files.current, [field]: { name: value.name, key: isKept ? place : null } };
          writeDraft(key, { values: latest.current, files: files.current });
        });
      }
      writeDraft(key, { values, files: files.current });
    },

    drop(): void {
      const places = Object.values(files.current).flatMap(({ key: place }) => place ?? []);
      files.current = {};
      latest.current = {};
      dropDraft(key);
      if (places.length > 0) void dropKeptFiles(places);
    },
  };
}
