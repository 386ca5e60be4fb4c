import { useQuery } from "@tanstack/react-query";
import { List, Share2 } from "lucide-react";
import { useMemo, useState } from "react";

import type { Lineage } from "@miranda/contract/schemas/models/lineage.ts";

import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { useMoney } from "../../../api/settings.ts";
import { lineageQuery } from "../../../api/models/lineage.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { PackagesDialog } from "../../../panels/runs/packages-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { useMedia } from "../../../ui/layout/use-media.ts";
import { useOpenModel } from "../open-model.tsx";
import { Reproduce } from "../reproduce/reproduce.tsx";
import { Reproductions } from "../reproduce/reproductions.tsx";
import { useChosenVersion } from "../use-chosen-version.ts";
import { VersionPick } from "../version-pick.tsx";
import { columnsOf, shortened } from "./lineage-layout.ts";
import { LineageList } from "./lineage-list.tsx";
import { LineagePicture } from "./lineage-picture.tsx";

/** More of one kind are shown on demand. */
const shownOfKind = 8;

/** What a version came from, and what uses it. */
export function LineageView() {
  const { model } = useOpenModel();
  const [version, setVersion] = useChosenVersion();
  const { data, error, isFetching, refetch } = useQuery(lineageQuery(model.id, version));
  return (
    <section
      aria-label="Lineage"
      data-testid="lineage"
      className="mx-auto flex w-full max-w-[110rem] flex-col gap-4 px-4 py-5 sm:px-6"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <VersionPick number={version} onPick={setVersion} />
        {data ? <Facts lineage={data} /> : null}
        <div className="ml-auto max-sm:ml-0">
          <Reproduce version={version} />
        </div>
      </div>
      {error && !data ? (
        <LoadFailure
          title="The lineage could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {!data && !error ? <LoadingArea label="Loading the lineage" /> : null}
      {data ? <Shown key={version} lineage={data} /> : null}
      <Reproductions version={version} />
    </section>
  );
}

function Facts({ lineage: { cost, seconds, python, packages } }: { lineage: Lineage }) {
  const [showsPackages, setShowsPackages] = useState(false);
  const count = Object.keys(packages).length;
  const money = useMoney();
  const isShown = useMoneyShown();
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm" data-testid="lineage-facts">
      {cost === null || !isShown ? null : <Fact label="Cost" value={money(cost)} />}
      {seconds === null ? null : <Fact label="Took" value={durationText(seconds)} />}
      {python === "" ? null : <Fact label="Python" value={python} />}
      {count === 0 ? null : (
        <div>
          <dt className="sr-only">Packages</dt>
          <dd>
            <button type="button" className="text-accent-text hover:underline" onClick={() => setShowsPackages(true)}>
              {counted(count, "package")}
            </button>
          </dd>
        </div>
      )}
      {showsPackages ? (
        <PackagesDialog
          title="Packages of this version"
          packages={packages}
          python={python}
          onClose={() => setShowsPackages(false)}
        />
      ) : null}
    </dl>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-ink-muted">{label}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}

function Shown({ lineage }: { lineage: Lineage }) {
  const isNarrow = useMedia("(max-width: 767px)");
  const [wantsList, setWantsList] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const [showsPackages, setShowsPackages] = useState(false);
  const { lineage: shown, hidden } = useMemo(
    () => (isWhole ? { lineage, hidden: 0 } : shortened(lineage, shownOfKind)),
    [lineage, isWhole],
  );
  const columns = useMemo(() => columnsOf(shown), [shown]);
  const isList = isNarrow || wantsList;
  const onPackages = Object.keys(lineage.packages).length === 0 ? undefined : () => setShowsPackages(true);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-60 text-sm text-ink-muted">
          {lineage.nodes.length <= 1
            ? "Nothing is known about where this version came from: no run of a workflow made it."
            : isList
              ? "From the data to what uses the model. Each entry opens what it names."
              : "From the data on the left to what uses the model on the right. A click opens what a card names."}
          {lineage.cut ? " There is more than is shown here." : ""}
        </p>
        {hidden > 0 ? (
          <Button size="sm" onClick={() => setWhole(true)}>
            Show {hidden} more
          </Button>
        ) : null}
        {isNarrow ? null : (
          <Button size="sm" aria-pressed={wantsList} onClick={() => setWantsList(!wantsList)}>
            {wantsList ? (
              <Share2 className="size-3.5" aria-hidden="true" />
            ) : (
              <List className="size-3.5" aria-hidden="true" />
            )}
            {wantsList ? "As a picture" : "As a list"}
          </Button>
        )}
      </div>
      {isList ? (
        <LineageList columns={columns} onPackages={onPackages} />
      ) : (
        <LineagePicture columns={columns} edges={shown.edges} onPackages={onPackages} />
      )}
      {showsPackages ? (
        <PackagesDialog
          title="Packages of this version"
          packages={lineage.packages}
          python={lineage.python}
          onClose={() => setShowsPackages(false)}
        />
      ) : null}
    </>
  );
}
