import * as Primitive from "radix-ui/tabs";
import type { ReactNode } from "react";

const byPointer = "data-by-pointer";

interface TabsProps {
  tabs: readonly { value: string; label: string; content: ReactNode }[];
  label: string;
  defaultValue?: string;
}

export function Tabs({ tabs, label, defaultValue }: TabsProps) {
  const first = defaultValue ?? tabs[0]?.value;
  return (
    <Primitive.Root {...(first === undefined ? {} : { defaultValue: first })}>
      <Primitive.List
        aria-label={label}
        className="-mx-1 flex gap-4 overflow-x-auto sm:gap-5 px-1 shadow-[inset_0_-1px_0_var(--line)]"
      >
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.value}
            value={tab.value}
            // When the focused field disappears with its tab, the browser draws a focus ring as after a key press.
            onPointerDown={({ currentTarget }) => currentTarget.setAttribute(byPointer, "")}
            onKeyDown={({ currentTarget }) => currentTarget.removeAttribute(byPointer)}
            onBlur={({ currentTarget }) => currentTarget.removeAttribute(byPointer)}
            className="data-by-pointer:outline-none -mx-1 min-h-10 rounded-t-sm border-b-2 border-transparent px-1 text-left leading-tight font-medium text-ink-muted transition-colors sm:shrink-0 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className="pt-6">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
