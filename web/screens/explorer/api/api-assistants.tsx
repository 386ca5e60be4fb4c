import { mcpSettings } from "@miranda/contract/call-docs/snippets.ts";

import { Card } from "../../../ui/layout/card.tsx";
import { CodeBlock } from "../../../panels/code-block.tsx";

/** How an assistant that speaks the Model Context Protocol uses the app as a tool. */
export function ApiAssistants({ name }: { name: string }) {
  return (
    <Card className="flex min-w-0 flex-col gap-4 p-4 sm:p-5">
      <p className="max-w-3xl text-ink-muted">
        For assistants that speak the Model Context Protocol (MCP), every app that you may use is a tool. The tool of
        this app is called <code className="font-mono text-sm text-ink">{name}</code>. Give your assistant this address,
        with one of your tokens:
      </p>
      <CodeBlock label="The address for assistants" text={`${location.origin}/mcp`} />
      <p className="text-sm text-ink-muted">Many assistants take their settings as JSON:</p>
      <CodeBlock label="Settings for assistants" text={mcpSettings(location.origin)} />
    </Card>
  );
}
