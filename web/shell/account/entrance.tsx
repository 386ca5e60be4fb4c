import { type ReactNode, useEffect } from "react";

import { BrandMark } from "../brand.tsx";
import { EntranceArt } from "./entrance-art.tsx";
import { productName } from "../product.ts";
import { documentTitle } from "../section.ts";

interface EntranceProps {
  title: string;
  subtitle: ReactNode;
  children: ReactNode;
}

/** The frame of the login and register pages, which have no top bar. */
export function Entrance({ title, subtitle, children }: EntranceProps) {
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title]);

  return (
    <div className="grid flex-1 lg:grid-cols-[minmax(28rem,1fr)_1.25fr]">
      <div className="flex flex-col bg-surface px-5 py-6 sm:px-10">
        <div className="flex items-center gap-2.5 text-lg font-semibold">
          <BrandMark className="size-7" />
          {productName}
        </div>
        <div className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center py-10">
          <h1 className="text-2xl font-semibold">{title}</h1>
          <p className="mt-1.5 mb-7 text-ink-muted">{subtitle}</p>
          {children}
        </div>
      </div>
      <div className="relative hidden overflow-hidden border-l border-line bg-canvas lg:block">
        <EntranceArt />
      </div>
    </div>
  );
}
