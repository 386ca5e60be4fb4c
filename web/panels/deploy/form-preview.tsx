import { Play } from "lucide-react";
import { useMemo, useState } from "react";

import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";

import { buttonClasses } from "../../ui/button.tsx";
import { AppFields } from "../app-form/app-fields.tsx";
import { startValues } from "../app-form/form-values.ts";

/** The form as callers will see it. It can be tried, and sends nothing. */
export function FormPreview({ title, form }: { title: string; form: ReleaseForm }) {
  const starts = useMemo(() => startValues(form.fields), [form.fields]);
  // Another default is shown at once, also where something was typed.
  const [typed, setTyped] = useState<{ over: string; values: Record<string, unknown> }>({ over: "", values: {} });
  const over = JSON.stringify(form.fields.map((field) => [field.name, field.default]));
  const values = typed.over === over ? { ...starts, ...typed.values } : starts;
  return (
    <section
      aria-label="Preview of the form"
      data-testid="form-preview"
      className="flex flex-col gap-5 rounded-xl border border-line bg-surface p-5 shadow-low"
    >
      <h3 dir="auto" className="text-lg font-semibold wrap-anywhere">
        {title || "Untitled"}
      </h3>
      {form.fields.length === 0 ? (
        <p className="text-sm text-ink-muted">It asks for nothing: callers only press Run.</p>
      ) : (
        <AppFields
          fields={form.fields}
          values={values}
          onChange={(name, value) =>
            setTyped({ over, values: { ...(typed.over === over ? typed.values : {}), [name]: value } })
          }
        />
      )}
      <span aria-hidden="true" className={buttonClasses({ variant: "primary", size: "lg" }, "w-full")}>
        <Play className="size-4" />
        Run
      </span>
      <p className="text-sm text-ink-muted">
        {form.outputs.length === 0
          ? "It shows no results."
          : `Then it shows: ${form.outputs.map(({ label }) => label).join(", ")}.`}
      </p>
    </section>
  );
}
