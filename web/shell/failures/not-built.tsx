import type { LucideIcon } from "lucide-react";

import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { Page } from "../../ui/layout/page.tsx";

interface NotBuiltProps {
  icon: LucideIcon;
  title: string;
  /** One plain sentence: what people will find here. */
  purpose: string;
}

/** Stands in for a screen that is not built yet, and says so. */
export function NotBuilt({ icon, title, purpose }: NotBuiltProps) {
  return (
    <Page title={title}>
      <EmptyState icon={icon} title="Not built yet">
        {purpose}
      </EmptyState>
    </Page>
  );
}
