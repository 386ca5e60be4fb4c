import type { ReactNode } from "react";

import { useMoneyShown } from "../api/billing/money-shown.ts";
import { useMoney } from "../api/settings.ts";
import { classes } from "../ui/classes.ts";

interface MoneyProps {
  /** Exact amounts are text. */
  amount: number | string | bigint;
  digits?: "short" | "cents" | "all";
  /** Shows what came in with a plus. */
  isSigned?: boolean;
  className?: string | undefined;
}

/** An amount of money in the installation's currency. Whoever points at it sees all its digits. */
export function Money({ amount, digits, isSigned = false, className }: MoneyProps) {
  const money = useMoney();
  const text = money(amount, digits);
  const isPlus = isSigned && Number(amount) > 0 && !text.startsWith("<");
  return (
    <span className={classes("tabular-nums", className ?? null)} title={money(amount, "all")}>
      {isPlus ? `+${text}` : text}
    </span>
  );
}

/** What is about money. Nothing where running is free, except for administrators. */
export function MoneyShown({ children }: { children: ReactNode }) {
  return useMoneyShown() ? children : null;
}
