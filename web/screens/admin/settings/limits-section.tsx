import { LimitFields, readLimits } from "../limit-fields.tsx";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

const limits = [
  { name: "projects", label: "Projects of one account" },
  { name: "templates", label: "Templates of one account" },
  { name: "tokens", label: "Access tokens of one account" },
  { name: "processors", label: "Sessions of one account at once" },
  { name: "processors_in_all", label: "Sessions in all at once" },
] as const;

export function LimitsSection(props: SettingsPartProps) {
  const { limits: values, default_limits } = props.settings;
  return (
    <SettingsForm
      {...props}
      title="Limits"
      description="An empty field keeps the limit of the server's environment. People can have limits of their own."
      action="Save limits"
      read={(fields) => ({ limits: readLimits(fields, limits) })}
    >
      <LimitFields limits={limits} values={values} placeholder={(name) => String(default_limits[name] ?? "")} />
    </SettingsForm>
  );
}
