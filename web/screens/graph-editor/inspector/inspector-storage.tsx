import { useId, useState } from "react";

import { debounce } from "../../../limits.ts";
import { storagePolicy as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { StoragePolicy } from "@miranda/contract/schemas/policies.ts";
import { storageRules } from "@miranda/contract/storage-rules.ts";

import { useDraft } from "../../../ui/form/use-draft.ts";
import { useEditor } from "../editor-context.tsx";
import { InspectorSecret } from "./inspector-secret.tsx";
import { Labelled, panelInput, Section } from "../panel.tsx";

type S3Policy = Extract<StoragePolicy, { type: "s3" }>;

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
  const body = (node.body ?? {}) as StoragePolicy;
  const [chosen, setChosen] = useState<StoragePolicy["type"] | null>(null);
  const type = chosen ?? body.type;
  const put = (next: object) => void session.run({ type: "patch", id: node.metadata_id, changes: { body: next } });

  function choose(next: StoragePolicy["type"]): void {
    setChosen(next === body.type ? null : next);
    if (next === "volume" && body.type !== "volume") {
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
          value={body.type === "volume" ? body.name : ""}
          disabled={disabled}
          onCommit={(name) => put({ ...body, name })}
        />
      ) : (
        <StorageField
          label="Bucket"
          field="bucket"
          value={body.type === "s3" ? body.bucket : ""}
          disabled={disabled}
          onCommit={(bucket) => {
            put(body.type === "s3" ? { ...body, bucket } : { type: "s3", bucket });
            setChosen(null);
          }}
        />
      )}
      {type === "s3" && body.type === "s3" ? <S3Settings body={body} put={put} disabled={disabled} /> : null}
    </Section>
  );
}

interface S3Props {
  body: S3Policy;
  put: (body: S3Policy) => void;
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
          value={body[field]}
          placeholder={placeholder}
          disabled={disabled}
          onCommit={(text) => put({ ...body, [field]: text })}
        />
      ))}
      {secrets.map(([field, label]) => (
        <div key={field} className="flex flex-col gap-1">
          <StorageField
            label={label}
            field={field}
            value={body[field] ?? ""}
            placeholder="None: the bucket is public"
            disabled={disabled}
            onCommit={(text) => put({ ...body, [field]: text })}
          />
          {disabled || !body[field] ? null : <InspectorSecret key={body[field]} name={body[field]} />}
        </div>
      ))}
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
