import { useTransferCalls, useTransferOffer } from "../../../api/people/transfers.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { dayWords } from "../../../format/day-words.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";

/** For the owner of a project that is offered to somebody. */
export function OfferedNotice({ projectId }: { projectId: string }) {
  const { data: offer } = useTransferOffer(projectId);
  const { end } = useTransferCalls(projectId);
  const form = useForm(end);
  if (!offer) return null;
  const { first_name, last_name } = offer.to;
  return (
    <form
      onSubmit={form.onSubmit}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line bg-sunken px-3 py-2"
    >
      <p className="min-w-0 flex-1 basis-64 text-sm wrap-anywhere">
        {oneLine(`${first_name} ${last_name}`)} is asked whether they take this project, until{" "}
        {dayWords(offer.time_expires)}. You own it until they accept.
      </p>
      <Button type="submit" size="sm" busy={form.busy}>
        Withdraw the offer
      </Button>
      <FormAlert message={form.error} />
    </form>
  );
}
