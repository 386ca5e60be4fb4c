import { Dialog } from "../../ui/overlay/dialog.tsx";

interface PackagesDialogProps {
  title: string;
  packages: Readonly<Record<string, string>>;
  python: string;
  onClose: () => void;
}

/** What the nodes could import, at which versions. */
export function PackagesDialog({ title, packages, python, onClose }: PackagesDialogProps) {
  const sorted = Object.entries(packages).toSorted(([one], [other]) => one.localeCompare(other));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={python === "" ? undefined : `Python ${python}`}
      reading
    >
      <dl className="flex flex-col text-sm">
        {sorted.map(([name, version]) => (
          <div key={name} className="flex justify-between gap-4 border-b border-line py-1.5 last:border-b-0">
            <dt className="min-w-0 truncate">{name}</dt>
            <dd className="shrink-0 font-mono text-xs leading-5 text-ink-muted">{version}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
