import type { ReactNode } from "react";

import type { Person } from "@miranda/contract/schemas/account/people.ts";

import { type PersonChange, usePeopleCalls } from "../../../api/admin/people.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { VersionedForm } from "../versioned-form.tsx";

export interface PersonPartProps {
  person: Person;
  /** Replaces what was typed with what is stored. */
  onReload: () => Promise<void>;
}

interface PersonFormProps extends PersonPartProps {
  title: string;
  description: string;
  action: string;
  read: (fields: FormData) => PersonChange;
  children: ReactNode;
}

/** A part of an account. */
export function PersonForm({ person, read, ...section }: PersonFormProps) {
  const { change } = usePeopleCalls();
  return (
    <VersionedForm
      {...section}
      refusedWith="account_changed"
      save={async (fields) => {
        await change(person, read(fields));
        toast.success("Account saved.");
      }}
    />
  );
}
