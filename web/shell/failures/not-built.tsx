import type { LucideIcon } from "lucide-react";

import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { Page } from "../../ui/layout/page.tsx";

interface NotBuiltProps {
  icon: LucideIcon;
  title: string;
  /** One plain sentence: what people will find here. */
  purpose: string;
}

/** The placeholder of a screen that is not built yet. */
export function NotBuilt({ icon, title, purpose }: NotBuiltProps) {
  return (
    <Page title={title}>
      <EmptyState icon={icon} title="Not built yet">
        {purpose}
      </EmptyState>
    </Page>
  );
}
