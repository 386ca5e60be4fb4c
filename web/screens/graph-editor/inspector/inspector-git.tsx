import { errors } from "@miranda/contract/errors.ts";
import { gitFileName, isGitBranch, parseGitAddress } from "@miranda/contract/graph/git-address.ts";
import { node as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useEditor } from "../editor-context.tsx";
import { DraftInput } from "./inspector-policy.tsx";
import { Labelled, Section } from "../panel.tsx";

/** The node's git repository. An invalid value is explained and stays as typed. */
export function InspectorGit({ node, disabled }: { node: Node; disabled: boolean }) {
  const { session } = useEditor();
  const patch = (changes: { git?: string | null; git_branch?: string | null }) =>
    void session.run({ type: "patch", id: node.metadata_id, changes });
  return (
    <Section title="Git">
      <Labelled label="Repository">
        <DraftInput
          value={node.git ?? ""}
          placeholder={`https://…/repository.git#${gitFileName(node.name)}`}
          maxLength={limits.gitMax}
          disabled={disabled}
          problem={repositoryProblem}
          onCommit={(git) => patch({ git: git.trim() || null })}
        />
      </Labelled>
      <Labelled label="Branch">
        <DraftInput
          value={node.git_branch ?? ""}
          placeholder="Default branch"
          maxLength={limits.gitBranchMax}
          disabled={disabled}
          problem={branchProblem}
          onCommit={(branch) => patch({ git_branch: branch.trim() || null })}
        />
      </Labelled>
    </Section>
  );
}

function repositoryProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const read = parseGitAddress(text.trim());
  return "refusal" in read ? errors[read.refusal] : undefined;
}

function branchProblem(text: string): string | undefined {
  return text.trim() === "" || isGitBranch(text.trim()) ? undefined : errors.git_branch;
}
