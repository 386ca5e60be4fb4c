import { useId, useState } from "react";

import { debounce } from "../../../limits.ts";
import { storagePolicy as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { StoragePolicy } from "@miranda/contract/schemas/policies.ts";
import { storageRules } from "@miranda/contract/storage-rules.ts";

import { isRecord } from "../../../is-record.ts";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { useEditor } from "../editor-context.tsx";
import { InspectorSecret } from "./inspector-secret.tsx";
import { Labelled, panelInput, Section } from "../panel.tsx";

type Kind = StoragePolicy["type"];
const kinds: readonly Kind[] = ["volume", "s3"];

const s3Fields = [
  ["prefix", "Prefix", "The whole bucket"],
  ["region", "Region", "us-east-1"],
  ["endpoint", "Endpoint", "Amazon S3"],
] as const;

const secrets = [
  ["access_key_secret", "Secret with the access key"],
  ["secret_key_secret", "Secret with the secret key"],
] as const;

/** Where a storage policy keeps files. It becomes an S3 bucket once the bucket has a name. */
export function InspectorStorage({ node, disabled }: { node: Node; disabled: boolean }) {
  const { session } = useEditor();
  const body = isRecord(node.body) ? node.body : {};
  const stored = kinds.find((kind) => kind === body.type);
  const [chosen, setChosen] = useState<Kind | null>(null);
  const type = chosen ?? stored;
  const put = (next: object) => void session.run({ type: "patch", id: node.metadata_id, changes: { body: next } });

  function choose(next: Kind): void {
    setChosen(next === stored ? null : next);
    if (next === "volume" && stored !== "volume") {
      put({ type: "volume", name: "data" });
      setChosen(null);
    }
  }

  return (
    <Section title="Location">
      <Labelled label="Kind">
        <select
          value={type}
          disabled={disabled}
          onChange={(event) => choose(event.target.value === "s3" ? "s3" : "volume")}
          className={`${panelInput} h-8 text-sm`}
        >
          <option value="volume">Volume kept between sessions</option>
          <option value="s3">S3 bucket</option>
        </select>
      </Labelled>
      {type === "volume" ? (
        <StorageField
          label="Volume name"
          field="name"
          value={stored === "volume" ? textOf(body.name) : ""}
          disabled={disabled}
          onCommit={(name) => put({ ...body, name })}
        />
      ) : (
        <StorageField
          label="Bucket"
          field="bucket"
          value={stored === "s3" ? textOf(body.bucket) : ""}
          disabled={disabled}
          onCommit={(bucket) => {
            put(stored === "s3" ? { ...body, bucket } : { type: "s3", bucket });
            setChosen(null);
          }}
        />
      )}
      {type === "s3" && stored === "s3" ? <S3Settings body={body} put={put} disabled={disabled} /> : null}
    </Section>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

interface S3Props {
  body: Readonly<Record<string, unknown>>;
  put: (body: object) => void;
  disabled: boolean;
}

function S3Settings({ body, put, disabled }: S3Props) {
  return (
    <>
      {s3Fields.map(([field, label, placeholder]) => (
        <StorageField
          key={field}
          label={label}
          field={field}
          value={textOf(body[field])}
          placeholder={placeholder}
          disabled={disabled}
          onCommit={(text) => put({ ...body, [field]: text })}
        />
      ))}
      {secrets.map(([field, label]) => {
        const name = textOf(body[field]);
        return (
          <div key={field} className="flex flex-col gap-1">
            <StorageField
              label={label}
              field={field}
              value={name}
              placeholder="None: the bucket is public"
              disabled={disabled}
              onCommit={(text) => put({ ...body, [field]: text })}
            />
            {disabled || name === "" ? null : <InspectorSecret key={name} name={name} />}
          </div>
        );
      })}
    </>
  );
}

interface StorageFieldProps {
  label: string;
  field: keyof typeof storageRules;
  value: string;
  placeholder?: string;
  disabled: boolean;
  onCommit: (text: string) => void;
}

/** An invalid value is marked, stays as typed, and changes nothing. */
function StorageField({ label, field, value, placeholder, disabled, onCommit }: StorageFieldProps) {
  const id = useId();
  const rule = (text: string) => storageRules[field](text.trim());
  const draft = useDraft(
    value,
    (text: string) => text.trim() !== value && onCommit(text.trim()),
    debounce.default,
    (text) => rule(text) === undefined,
  );
  const refusal = draft.value === value ? undefined : rule(draft.value);
  return (
    <div className="flex flex-col gap-1">
      <Labelled label={label}>
        <input
          value={draft.value}
          placeholder={placeholder}
          maxLength={limits.endpointMax}
          disabled={disabled}
          spellCheck={false}
          autoCapitalize="none"
          aria-invalid={refusal ? true : undefined}
          aria-describedby={refusal ? id : undefined}
          onChange={(event) => draft.change(event.target.value)}
          onBlur={draft.flush}
          onKeyDown={(event) => {
            if (event.key === "Enter") draft.flush();
            if (event.key === "Escape") draft.cancel();
          }}
          className={`${panelInput} h-8 text-sm aria-invalid:border-danger`}
        />
      </Labelled>
      {refusal ? (
        <p id={id} role="alert" className="text-xs text-danger-text">
          {refusal}
        </p>
      ) : null}
    </div>
  );
}
