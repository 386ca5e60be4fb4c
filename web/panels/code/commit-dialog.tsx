import { useQueryClient } from "@tanstack/react-query";
import { useId, useMemo } from "react";

import { commit as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { codeKeys, commitCode } from "../../api/code.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FormAlert, TextAreaField } from "../../ui/form/field.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { suggestedMessage } from "./code-text.ts";
import { useIde, useIdeView } from "./ide-context.tsx";

/** Asks for a commit message. It starts with a suggestion, so that Enter is enough. */
export function CommitDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const { ide, documents } = useIde();
  const client = useQueryClient();
  const formId = useId();
  const code = documents.get(node.metadata_id);
  const error = useIdeView((view) => view.checks.get(node.metadata_id)?.error ?? null);
  const suggestion = useMemo(
    () => suggestedMessage(node.name, node.source_code, code.text() ?? ""),
    // Computed once, when the dialog opens: a suggestion must not change while the person reads it.
    // oxlint-disable-next-line react/exhaustive-deps
    [],
  );
  const form = useForm(async (data) => {
    const { number } = await commitCode(node.metadata_id, fieldText(data, "message"), code.text() ?? "");
    await client.invalidateQueries({ queryKey: codeKeys.commits(node.metadata_id) });
    onClose();
    toast.success(`Committed ${node.name} as #${number}`);
    ide.views.get(node.metadata_id)?.focus();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Commit ${node.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Commit
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <TextAreaField
          label="Message"
          name="message"
          rows={2}
          maxLength={limits.messageMax}
          defaultValue={suggestion}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={(event) => {
            const isSave = event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey);
            const isEnter = event.key === "Enter" && !event.shiftKey;
            if (!isSave && !isEnter) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          hint="Enter commits, Shift+Enter starts a new line."
        />
        {error === null ? null : (
          <p className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-text">
            The code has an error: {error}. It can be committed; the node keeps its last good attributes.
          </p>
        )}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
