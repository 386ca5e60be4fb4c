import * as Primitive from "radix-ui/dialog";
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from "react";

import { deployment as limits } from "@miranda/contract/limits.ts";
import type { Channel, Deployment, ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Version } from "@miranda/contract/schemas/versions.ts";

import { useDeploymentActions } from "../../api/deployments/deployments.ts";
import { useSharingActions } from "../../api/deployments/sharing.ts";
import { isRefusedWith } from "../../api/http.ts";
import { messageOf } from "../../message-of.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert, TextAreaField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { AppFacts, AppLook, factsOf, type NameState } from "./app-facts.tsx";
import { AccessFields, accessOf } from "./access-fields.tsx";
import { fieldKey, FieldList } from "./field-list.tsx";
import { FormPreview } from "./form-preview.tsx";
import { OutputList, StepList } from "./output-list.tsx";
import { policyOf, PolicyFields, usualPolicy } from "./policy-fields.tsx";
import {
  carriedOver,
  changeWords,
  defaultProblem,
  draftOf,
  formOf,
  nameProblem,
  numberedName,
  type ReleaseDraft,
  suggestedName,
} from "./release-draft.ts";
import { Fold, Section } from "./section.tsx";
import { VersionChoice } from "./version-choice.tsx";

interface DeployFormProps {
  graphId: string;
  workflow: string;
  /** Null: this is the first release. */
  deployment: Deployment | null;
  versions: readonly Version[];
  version: Version;
  proposal: ReleaseProposal;
  /** The proposal is that of another version. */
  isLoading: boolean;
  onMoreVersions: (() => void) | undefined;
  onVersion: (number: number) => void;
  onPublished: (version: Version) => void;
  onDeployed: (deployment: Deployment) => void;
  onReleased: (words: string) => void;
}

/** A suggested name may be taken by an app that this person cannot see: then numbered ones are tried. */
const triesMax = 20;

type Where = Channel | "nowhere";

const whereWords: Readonly<Record<Where, string>> = {
  production: "Everybody gets it at once.",
  staging: "Only editors get it.",
  nowhere: "Nobody gets it yet.",
};

export function DeployForm(props: DeployFormProps) {
  const { graphId, workflow, deployment, version, proposal } = props;
  const { deploy, release, setPicture } = useDeploymentActions(graphId);
  const { makeLink } = useSharingActions(graphId);
  const { draft, setDraft } = useDraftOf(proposal);
  const [title, setTitle] = useState(deployment?.title ?? workflow);
  const [name, setName] = useState<NameState>({ text: suggestedName(workflow), isOwn: false, problem: undefined });
  const [picture, setChosenPicture] = useState<File | null>(null);
  const [openField, setOpenField] = useState<string | null>(null);
  const [where, setWhere] = useState<Where>("production");
  const form = useMemo(() => formOf(draft), [draft]);
  const nodes = useGraph((view) => view.resolved.nodes);
  const formId = useId();
  const area = useRef<HTMLDivElement>(null);
  // The dialog opens before the form is here, so the focus is still outside.
  useEffect(() => area.current?.querySelector<HTMLElement>("button[type=submit]")?.focus(), []);

  /** What needs a deployment first. When one of these is refused, a toast says so, and the deployment stays. */
  async function completed(made: Deployment): Promise<Deployment> {
    try {
      if (picture) await setPicture(picture);
      return made.access === "link" && !made.sharing?.link ? await makeLink() : made;
    } catch (cause) {
      toast.error(messageOf(cause));
      return made;
    }
  }

  const { onSubmit, busy, error } = useForm(async (data) => {
    const content = { version: version.number ?? 0, form, note: fieldText(data, "note") };
    if (deployment) {
      const made = await release({ ...content, ...(where === "nowhere" ? {} : { channel: where }) });
      props.onReleased(releasedWords(made.number, where));
      return;
    }
    const problem = nameProblem(name.text);
    if (problem !== undefined) {
      setName({ ...name, problem });
      throw new Error(`The short name cannot be used: ${problem}`);
    }
    const body = {
      ...factsOf(data),
      ...accessOf(data),
      ...givenOf(policyOf(data)),
      title,
      release: { ...content, channel: "production" as const },
    };
    const made = await deployNamed(name, (tried) => deploy({ ...body, name: tried })).catch((cause: unknown) => {
      if (isNameRefused(cause)) setName({ ...name, problem: messageOf(cause) });
      throw cause;
    });
    props.onDeployed(await completed(made));
  });

  /** A half-typed default is shown at its field, and nothing is sent. */
  function submit(event: FormEvent<HTMLFormElement>): void {
    const wrong = draft.fields.find((field) => field.ticked && defaultProblem(field) !== "");
    if (!wrong) return void onSubmit(event);
    event.preventDefault();
    const key = fieldKey(wrong);
    setOpenField(key);
    requestAnimationFrame(() => {
      const row = area.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
      const control = row?.querySelector<HTMLElement>("[aria-invalid=true], [contenteditable=true]");
      control?.focus({ preventScroll: true });
      row?.scrollIntoView({ block: "center" });
    });
  }

  const before = deployment?.production ?? deployment?.staging ?? null;
  const changes = before ? changeWords(before.form, form) : [];
  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <header className="shrink-0 border-b border-line px-5 pt-4 pr-12 pb-3">
        <Primitive.Title className="text-lg font-semibold">
          {deployment ? `New release of ${deployment.title}` : "Deploy"}
        </Primitive.Title>
        <p className="text-sm text-ink-muted">
          {deployment
            ? "Choose a version and what it asks for. Running calls keep the release that they began with."
            : "Everything is filled in. Change what you like, or deploy at once."}
        </p>
      </header>
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col gap-7 overflow-y-auto px-5 py-5">
          <VersionChoice {...props} onMore={props.onMoreVersions} />
          <form id={formId} onSubmit={submit} className="flex min-w-0 flex-col gap-7">
            {deployment ? null : (
              <AppFacts
                title={title}
                onTitle={(text) => {
                  setTitle(text);
                  if (!name.isOwn) setName({ text: suggestedName(text), isOwn: false, problem: undefined });
                }}
                name={name}
                onName={setName}
              />
            )}
            {deployment ? <Changes missing={proposal.missing} changes={changes} /> : null}
            <Section
              title="What it asks for"
              text="Tick the fields that callers fill in. The others keep their values."
            >
              <FieldList
                fields={draft.fields}
                open={openField}
                onOpen={setOpenField}
                onChange={(fields) => setDraft({ ...draft, fields })}
              />
            </Section>
            <Section title="What it shows" text="Results that callers see and can download.">
              <OutputList outputs={draft.outputs} onChange={(outputs) => setDraft({ ...draft, outputs })} />
            </Section>
            {draft.steps.length === 0 ? null : (
              <Fold title="Words for its steps" text="What callers read while it runs.">
                <StepList
                  steps={draft.steps}
                  nameOf={(node) => nodes[node]?.name ?? `Node ${node}`}
                  onChange={(steps) => setDraft({ ...draft, steps })}
                />
              </Fold>
            )}
            {deployment ? (
              <Section title="Where it is served">
                <ChoiceGroup<Where>
                  legend="Where it is served"
                  legendHidden
                  name="where"
                  value={where}
                  onChoose={setWhere}
                  className="sm:grid-cols-3"
                  options={[
                    { value: "production", label: "Production: everybody" },
                    { value: "staging", label: "Staging: editors only" },
                    { value: "nowhere", label: "Nowhere yet" },
                  ]}
                />
                <TextAreaField label="Note" name="note" dir="auto" optional maxLength={limits.noteMax} rows={2} />
              </Section>
            ) : (
              <>
                <Section title="Who may use it">
                  <AccessFields access="project" people={[]} />
                </Section>
                <AppLook picture={picture} onPicture={setChosenPicture} />
                <Fold title="Compute and cost" text="How many calls at once, what they may cost, and who pays.">
                  <PolicyFields policy={usualPolicy} />
                </Fold>
              </>
            )}
          </form>
          <div className="lg:hidden">
            <Fold title="Preview" text="The form as callers see it.">
              <FormPreview title={title} form={form} />
            </Fold>
          </div>
        </div>
        <aside
          aria-label="Preview"
          className="w-[23rem] shrink-0 overflow-y-auto border-l border-line bg-sunken p-5 max-lg:hidden"
        >
          <p className="mb-3 text-sm text-ink-muted">As callers see it</p>
          <FormPreview title={title} form={form} />
        </aside>
      </div>
      <footer className="flex shrink-0 flex-col gap-2 border-t border-line px-5 py-3">
        <FormAlert message={error} takesFocus />
        <div className="flex items-center justify-between gap-3">
          <span className="min-w-0 truncate text-sm text-ink-muted" aria-live="polite">
            {props.isLoading
              ? "Loading the other version…"
              : deployment
                ? whereWords[where]
                : `/explorer/apps/${name.text}`}
          </span>
          <Button type="submit" form={formId} variant="primary" busy={busy} disabled={props.isLoading}>
            {deployment ? "Release" : "Deploy"}
          </Button>
        </div>
      </footer>
    </div>
  );
}

/** The form that is being made. With the proposal for another version, what was written is carried over. */
function useDraftOf(proposal: ReleaseProposal) {
  const [draft, setDraft] = useState<ReleaseDraft>(() => draftOf(proposal));
  const [seen, setSeen] = useState(proposal);
  if (proposal.version.number !== seen.version.number) {
    setSeen(proposal);
    setDraft(carriedOver(draft, proposal));
  }
  return { draft, setDraft };
}

/** Without limits that were left empty: for some deployments the server sets one. */
function givenOf(policy: ReturnType<typeof policyOf>): Partial<ReturnType<typeof policyOf>> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== null));
}

/** A name that the person wrote is used as it is. A suggested one gets a number when it is taken. */
async function deployNamed(
  { text, isOwn }: NameState,
  deploy: (name: string) => Promise<Deployment>,
): Promise<Deployment> {
  for (let number = 2; ; number += 1) {
    try {
      return await deploy(number === 2 ? text : numberedName(text, number - 1));
    } catch (cause) {
      if (isOwn || number > triesMax || !isNameRefused(cause)) throw cause;
    }
  }
}

function releasedWords(number: number, where: Where): string {
  if (where === "nowhere") return `Release ${number} is ready.`;
  return where === "production" ? `Release ${number} is in production.` : `Release ${number} is in staging.`;
}

/** What the version lacks, and what callers will notice. */
function Changes({ missing, changes }: { missing: readonly string[]; changes: readonly string[] }) {
  return (
    <Section title="What changes for callers">
      {missing.length > 0 ? (
        <ul role="note" className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-text">
          {missing.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      ) : null}
      {changes.length === 0 ? (
        <p className="text-sm text-ink-muted">Nothing: it asks for the same fields and shows the same results.</p>
      ) : (
        <ul className="list-disc pl-5 text-sm" data-testid="release-changes">
          {changes.map((words) => (
            <li key={words} dir="auto">
              {words}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Somebody else's app has the name. Of one that this person may not see, the server says no more. */
function isNameRefused(cause: unknown): boolean {
  return isRefusedWith(cause, "deployment_name_taken") || isRefusedWith(cause, "deployment_name_unusable");
}
