import { useState } from "react";
import { Link, useNavigate } from "react-router";

import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { useProjectCalls } from "../../api/projects.ts";
import { useSettings } from "../../api/settings.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { FormAlert, TextAreaField, TextField } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { WhoWillSee } from "./who-will-see.tsx";

export function NewProjectScreen() {
  useTopBar({ back: "/designer/" });
  const navigate = useNavigate();
  const { create } = useProjectCalls();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const usual = useSettings()?.default_visibility;
  const [chosen, setChosen] = useState<Visibility>();
  const visibility = chosen ?? usual;
  const form = useForm(async () => {
    const id = await create({ name, description, ...(visibility && { visibility }) });
    await navigate(`/designer/projects/${id}`);
  });

  return (
    <div className="mx-auto w-full max-w-xl px-4 py-8 sm:px-6 sm:py-14">
      <h1 className="text-2xl font-semibold">New Project</h1>
      <p className="mt-1 text-ink-muted text-pretty">
        A place for workflows that belong together. To invite people, use Share on its page.
      </p>
      <form onSubmit={form.onSubmit} noValidate className="mt-8 flex flex-col gap-5">
        <TextField
          label="Project Name"
          placeholder="Waste Water Management"
          dir="auto"
          autoComplete="off"
          value={name}
          onChange={(event) => {
            form.clearError();
            setName(event.target.value);
          }}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
          autoFocus
        />
        <TextAreaField
          label="Project Description"
          placeholder="This project is about..."
          rows={2}
          optional
          dir="auto"
          hint="You can use Markdown."
          value={description}
          onChange={(event) => {
            form.clearError();
            setDescription(event.target.value);
          }}
        />
        {visibility ? <WhoWillSee value={visibility} onChange={setChosen} /> : null}
        <FormAlert message={form.error} takesFocus />
        <div className="flex justify-end gap-2">
          <Link to="/designer/" className={buttonClasses()}>
            Cancel
          </Link>
          <Button type="submit" variant="primary" busy={form.busy} disabled={name.trim() === ""}>
            Create Project
          </Button>
        </div>
      </form>
    </div>
  );
}
