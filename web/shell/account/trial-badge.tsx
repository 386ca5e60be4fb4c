import { Link } from "react-router";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { trialBadge } from "./trial.ts";

import { classes } from "../../ui/classes.ts";
import { useAccountContext } from "./account-context.tsx";

export function TrialBadge({ className }: { className?: string | null }) {
  const { trial, trialEnd } = useAccountContext();
  const badge = trialBadge(trial, trialEnd);
  const isShown = useMoneyShown();
  if (!badge || !isShown) return null;
  return (
    <Link
      to="/account/billing"
      data-testid="trial-badge"
      className={classes(
        "inline-flex h-6 shrink-0 items-center rounded-full px-2.5 text-xs font-medium whitespace-nowrap tabular-nums transition-colors",
        badge.endsToday
          ? "bg-linear-to-r from-trial-from to-trial-to text-trial-ink"
          : "bg-accent-soft text-accent-text hover:bg-hover",
        className,
      )}
    >
      {badge.text}
    </Link>
  );
}
