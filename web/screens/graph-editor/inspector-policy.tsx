import { computePolicy, debounce, storagePolicy } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { ComputePolicy, StoragePolicy } from "@miranda/contract/schemas/policies.ts";

import { useDraft } from "../../ui/use-draft.ts";
import { useEditor } from "./editor-context.tsx";
import { Labelled, panelInput, Section } from "./panel.tsx";

interface PolicyProps {
  node: Node;
  disabled: boolean;
}

/** What a policy grants. The server says what is wrong with a value, and the old one stays. */
export function InspectorPolicy({ node, disabled }: PolicyProps) {
  return node.class === "compute_policy" ? (
    <ComputeSettings node={node} disabled={disabled} />
  ) : (
    <StorageSettings node={node} disabled={disabled} />
  );
}

function usePatchBody<Body extends object>(node: Node) {
  const { session } = useEditor();
  const body = (node.body ?? {}) as Body;
  const put = (changes: object) =>
    void session.run({ type: "patch", id: node.metadata_id, changes: { body: { ...body, ...changes } } });
  return { body, put };
}

function ComputeSettings({ node, disabled }: PolicyProps) {
  const { body, put } = usePatchBody<ComputePolicy>(node);
  const number = (value: string) => (value.trim() === "" ? undefined : Number(value));
  const fields = [
    ["cpu", "CPU cores", computePolicy.cpu, 0.1],
    ["ram_gb", "RAM in GB", computePolicy.ramGb, 0.1],
    ["gpu", "GPUs", computePolicy.gpu, 1],
    ["max_minutes", "Longest run in minutes", computePolicy.maxMinutes, 1],
  ] as const;
  return (
    <Section title="What it grants">
      <div className="grid grid-cols-2 gap-2.5">
        {fields.map(([key, label, { min, max }, step]) => (
          <Labelled key={key} label={label}>
            <DraftInput
              type="number"
              value={String(body[key] ?? "")}
              {...{ min, max, step, disabled }}
              onCommit={(text) => {
                const value = number(text);
                if (value !== undefined) put({ [key]: value });
              }}
            />
          </Labelled>
        ))}
      </div>
      <Labelled label="Image">
        <DraftInput
          value={body.image ?? ""}
          placeholder="The installation’s own"
          maxLength={computePolicy.imageMax}
          disabled={disabled}
          onCommit={(image) => put({ image })}
        />
      </Labelled>
    </Section>
  );
}

const s3Fields = [
  ["bucket", "Bucket", storagePolicy.bucketMax],
  ["prefix", "Prefix", storagePolicy.prefixMax],
  ["region", "Region", storagePolicy.volumeNameMax],
  ["endpoint", "Endpoint", storagePolicy.endpointMax],
  ["access_key_secret", "Secret with the access key", storagePolicy.volumeNameMax],
  ["secret_key_secret", "Secret with the secret key", storagePolicy.volumeNameMax],
] as const;

function StorageSettings({ node, disabled }: PolicyProps) {
  const { session } = useEditor();
  const { body, put } = usePatchBody<StoragePolicy>(node);
  const choose = (type: string) =>
    void session.run({
      type: "patch",
      id: node.metadata_id,
      changes: { body: type === "s3" ? { type: "s3", bucket: "my-bucket" } : { type: "volume", name: "data" } },
    });
  return (
    <Section title="Where it keeps things">
      <Labelled label="Kind">
        <select
          value={body.type}
          disabled={disabled}
          onChange={(event) => choose(event.target.value)}
          className={`${panelInput} h-8 text-sm`}
        >
          <option value="volume">Volume kept between sessions</option>
          <option value="s3">S3 bucket</option>
        </select>
      </Labelled>
      {body.type === "s3" ? (
        s3Fields.map(([key, label, most]) => (
          <Labelled key={key} label={label}>
            <DraftInput
              value={body[key] ?? ""}
              maxLength={most}
              disabled={disabled}
              onCommit={(text) => put({ [key]: text === "" && key.endsWith("_secret") ? undefined : text })}
            />
          </Labelled>
        ))
      ) : (
        <Labelled label="Volume name">
          <DraftInput
            value={body.name}
            maxLength={storagePolicy.volumeNameMax}
            disabled={disabled}
            onCommit={(name) => put({ name })}
          />
        </Labelled>
      )}
    </Section>
  );
}

interface DraftInputProps extends Omit<React.ComponentProps<"input">, "value" | "onChange"> {
  value: string;
  onCommit: (text: string) => void;
}

export function DraftInput({ value, onCommit, ...input }: DraftInputProps) {
  const draft = useDraft(value, (text: string) => text !== value && onCommit(text), debounce.default);
  return (
    <input
      {...input}
      value={draft.value}
      onChange={(event) => draft.change(event.target.value)}
      onBlur={draft.flush}
      onKeyDown={(event) => {
        if (event.key === "Enter") draft.flush();
      }}
      className={`${panelInput} h-8 text-sm`}
    />
  );
}
