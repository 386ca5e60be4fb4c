import { useId } from "react";

import { computePolicy } from "@miranda/contract/limits.ts";
import { debounce } from "../../../limits.ts";
import { numberProblem } from "@miranda/contract/number-rule.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { isRecord } from "../../../is-record.ts";
import { useDraftProblem } from "../../../ui/form/draft-problems.ts";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { useEditor } from "../editor-context.tsx";
import { InspectorStorage } from "./inspector-storage.tsx";
import { Labelled, panelInput, Section } from "../panel.tsx";

interface PolicyProps {
  node: Node;
  disabled: boolean;
}

/** What a policy grants. An invalid value is explained beside it and not stored. */
export function InspectorPolicy({ node, disabled }: PolicyProps) {
  return node.class === "compute_policy" ? (
    <ComputeSettings node={node} disabled={disabled} />
  ) : (
    <InspectorStorage node={node} disabled={disabled} />
  );
}

function ComputeSettings({ node, disabled }: PolicyProps) {
  const { session } = useEditor();
  const body = isRecord(node.body) ? node.body : {};
  const put = (changes: object) =>
    void session.run({ type: "patch", id: node.metadata_id, changes: { body: { ...body, ...changes } } });
  const fields = [
    ["cpu", "CPU cores", "CPU", computePolicy.cpu, "any"],
    ["ram_gb", "RAM in GB", "RAM", computePolicy.ramGb, "any"],
    ["gpu", "GPUs", "GPU", computePolicy.gpu, "whole"],
    ["max_minutes", "Time limit in minutes", "Minutes", computePolicy.maxMinutes, "whole"],
  ] as const;
  return (
    <Section title="Resources">
      <div className="grid grid-cols-2 gap-2.5">
        {fields.map(([key, label, name, range, kind]) => {
          const amount = body[key];
          return (
            <Labelled key={key} label={label}>
              <DraftInput
                type="number"
                value={typeof amount === "number" ? String(amount) : ""}
                min={range.min}
                max={range.max}
                step={kind === "whole" ? 1 : 0.1}
                disabled={disabled}
                node={node.name}
                problem={(text) => numberProblem(name, range, kind, text)}
                onCommit={(text) => put({ [key]: Number(text) })}
              />
            </Labelled>
          );
        })}
      </div>
      <Labelled label="Image">
        <DraftInput
          value={typeof body.image === "string" ? body.image : ""}
          placeholder="Default image"
          maxLength={computePolicy.imageMax}
          disabled={disabled}
          onCommit={(image) => put({ image })}
        />
      </Labelled>
    </Section>
  );
}

interface DraftInputProps extends Omit<React.ComponentProps<"input">, "value" | "onChange"> {
  value: string;
  onCommit: (text: string) => void;
  /** Why a text is invalid. It is shown, and the text stays. */
  problem?: (text: string) => string | undefined;
  /** The node that no run may use while the text is invalid. */
  node?: string;
}

export function DraftInput({ value, onCommit, problem = noProblem, node, ...input }: DraftInputProps) {
  const isStorable = (text: string) => problem(text) === undefined;
  const draft = useDraft(value, (text: string) => text !== value && onCommit(text), debounce.default, isStorable);
  const error = problem(draft.value);
  const errorId = useId();
  useDraftProblem(node === undefined || error === undefined ? undefined : `${node}: ${error}`);
  return (
    <>
      <input
        {...input}
        value={draft.value}
        onChange={(event) => draft.change(event.target.value)}
        onBlur={draft.flush}
        onKeyDown={(event) => {
          if (event.key === "Enter") draft.flush();
          if (event.key === "Escape" && error !== undefined) draft.cancel();
        }}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : errorId}
        className={`${panelInput} h-8 text-sm`}
      />
      {error === undefined ? null : (
        <span id={errorId} role="alert" className="text-xs text-danger-text">
          {error}
        </span>
      )}
    </>
  );
}

const noProblem = () => undefined;
