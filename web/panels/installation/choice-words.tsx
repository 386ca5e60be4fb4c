/** One of a few choices, with what it means. */
export function ChoiceWords({ label, hint }: { label: string; hint: string }) {
  return (
    <span className="flex flex-col py-0.5">
      <span className="font-medium">{label}</span>
      <span className="text-sm text-ink-muted">{hint}</span>
    </span>
  );
}
