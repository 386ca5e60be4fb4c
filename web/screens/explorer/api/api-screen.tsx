import { Download } from "lucide-react";
import type { ReactNode } from "react";

import { doorPath } from "../../../api/apps/app-door.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { useAppPage } from "../app/app-page.ts";
import { ApiAssistants } from "./api-assistants.tsx";
import { ApiFields } from "./api-fields.tsx";
import { ApiReference } from "./api-reference.tsx";
import { ApiTokens } from "./api-tokens.tsx";
import { ApiTry } from "./api-try.tsx";

/** How programs and assistants call the app. */
export function ApiScreen() {
  const page = useAppPage();
  const { app, door } = page;
  return (
    <div className="flex min-w-0 flex-col gap-10">
      <Section
        title="Try it"
        action={
          <a href={doorPath(door, "/openapi.json")} download={`${app.name}.openapi.json`} className={buttonClasses()}>
            <Download className="size-4" aria-hidden="true" />
            OpenAPI
          </a>
        }
      >
        <ApiTry key={`${app.id} ${app.release}`} page={page} />
      </Section>
      <Section title="Fields">
        <ApiFields fields={app.fields} outputs={app.outputs} />
      </Section>
      <Section title="Tokens">
        <ApiTokens designer={app.designer} />
      </Section>
      <Section title="All requests">
        <ApiReference name={app.name} />
      </Section>
      <Section title="Assistants">
        <ApiAssistants name={app.name} />
      </Section>
    </div>
  );
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
