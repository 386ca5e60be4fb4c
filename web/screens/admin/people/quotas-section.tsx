import { LimitFields, readLimits } from "../limit-fields.tsx";
import { PersonForm, type PersonPartProps } from "./person-form.tsx";

const quotas = [
  { name: "projects", label: "Projects" },
  { name: "templates", label: "Templates" },
  { name: "tokens", label: "Access tokens" },
  { name: "processors", label: "Sessions at once" },
] as const;

export function QuotasSection(props: PersonPartProps) {
  return (
    <PersonForm
      {...props}
      title="Limits"
      description="What this account may have. An empty field keeps the limit of the installation."
      action="Save limits"
      read={(fields) => ({ quotas: readLimits(fields, quotas) })}
    >
      <LimitFields limits={quotas} values={props.person.quotas} placeholder={() => "Limit of the installation"} />
    </PersonForm>
  );
}
