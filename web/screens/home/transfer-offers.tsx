import { FolderInput } from "lucide-react";

import type { TransferOffer } from "@miranda/contract/schemas/people/transfers.ts";

import { useTransferCalls } from "../../api/people/transfers.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/layout/card.tsx";
import { dayWords } from "../../format/day-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** Projects that somebody wants to give to this account. */
export function TransferOffers({ offers }: { offers: readonly TransferOffer[] }) {
  return (
    <section aria-label="Projects offered to you" className="flex flex-col gap-3">
      {offers.map((offer) => (
        <Offer key={offer.project.id} offer={offer} />
      ))}
    </section>
  );
}

function Offer({ offer }: { offer: TransferOffer }) {
  const { project, from, deployments } = offer;
  const { accept, end } = useTransferCalls(project.id);
  const accepting = useForm(accept);
  const declining = useForm(end);
  const name = oneLine(project.name);
  return (
    <Card className="flex flex-wrap items-center gap-x-4 gap-y-3 p-4">
      <FolderInput className="size-5 shrink-0 text-accent-text" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium wrap-anywhere">
          {oneLine(`${from.first_name} ${from.last_name}`)} wants to give you {name}
        </p>
        <p className="text-sm text-ink-muted">
          You would own it, with its credits
          {deployments > 0 ? ` and ${counted(deployments, "deployment")}, for which you would pay` : ""}. You can accept
          it until {dayWords(offer.time_expires)}.
        </p>
        <FormAlert message={accepting.error ?? declining.error} />
      </div>
      <span className="flex gap-2">
        <form onSubmit={declining.onSubmit}>
          <Button type="submit" aria-label={`Decline ${name}`} busy={declining.busy}>
            Decline
          </Button>
        </form>
        <form onSubmit={accepting.onSubmit}>
          <Button type="submit" variant="primary" aria-label={`Accept ${name}`} busy={accepting.busy}>
            Accept
          </Button>
        </form>
      </span>
    </Card>
  );
}
