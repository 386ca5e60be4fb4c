import { deployment as limits, formText } from "@miranda/contract/limits.ts";

import { TextAreaField, TextField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";
import { PictureField } from "./picture-field.tsx";
import { nameProblem } from "./release-draft.ts";
import { Fold } from "./section.tsx";

export interface NameState {
  text: string;
  /** The person wrote it: it no longer follows the title. */
  isOwn: boolean;
  problem: string | undefined;
}

interface AppFactsProps {
  title: string;
  onTitle: (title: string) => void;
  name: NameState;
  onName: (name: NameState) => void;
}

/** What a new app is called, by people and in addresses. */
export function AppFacts({ title, onTitle, name, onName }: AppFactsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Title"
        name="title"
        dir="auto"
        required
        autoComplete="off"
        maxLength={formText.nameMax}
        value={title}
        onChange={(event) => onTitle(event.target.value)}
      />
      <TextField
        label="Short name"
        name="name"
        required
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        maxLength={60}
        value={name.text}
        error={name.problem}
        hint="A part of its address. If you change it later, old links stop working."
        onChange={(event) => onName({ text: event.target.value.trim(), isOwn: true, problem: undefined })}
        onBlur={() => onName({ ...name, problem: nameProblem(name.text) })}
      />
    </div>
  );
}

interface LookProps {
  picture: File | null;
  onPicture: (picture: File | null) => void;
}

/** How a new app looks in the Explorer. */
export function AppLook({ picture, onPicture }: LookProps) {
  return (
    <Fold title="Description, tags, picture" text="How it looks in the Explorer.">
      <div className="flex flex-col gap-4">
        <TextAreaField
          label="Description"
          name="description"
          dir="auto"
          optional
          rows={3}
          maxLength={limits.descriptionMax}
          hint="You can use Markdown."
        />
        <TagsField tags={[]} />
        <PictureField stored={null} chosen={picture} onChoose={onPicture} onRemove={() => onPicture(null)} />
      </div>
    </Fold>
  );
}

export function TagsField({ tags }: { tags: readonly string[] }) {
  return (
    <TextField
      label="Tags"
      name="tags"
      dir="auto"
      optional
      autoComplete="off"
      defaultValue={tags.join(", ")}
      hint="Separated by commas."
    />
  );
}

function tagsOf(form: FormData): string[] {
  const tags = fieldText(form, "tags").split(",");
  return [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))];
}

export function factsOf(form: FormData): { description: string; tags: string[] } {
  return { description: fieldText(form, "description"), tags: tagsOf(form) };
}
