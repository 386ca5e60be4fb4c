import type { ComponentProps } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";

import { drawableText } from "../text/drawable-text.ts";
import { LongText } from "../text/long-text.tsx";
import { isCostlyMarkdown } from "./markdown-cost.ts";
import { DocumentImage, WithinLink } from "./markdown-image.tsx";
import { breakLongWords, refuseDeepNesting } from "./markdown-tree.ts";
import { isElsewhere, safeAddress } from "./safe-address.ts";
import "./markdown.css";

// The renderer passes its syntax tree as the prop `node`; it must not become an attribute of an element.

function DocumentLink({ href, children, node: _node, ...rest }: ComponentProps<"a"> & ExtraProps) {
  if (href === undefined) return <span>{children}</span>;
  return (
    <a {...rest} href={href} {...(isElsewhere(href) ? { target: "_blank", rel: "noopener noreferrer nofollow" } : {})}>
      <WithinLink value>{children}</WithinLink>
    </a>
  );
}

function DocumentTable({ node: _node, ...rest }: ComponentProps<"table"> & ExtraProps) {
  return (
    <div className="markdown-table">
      <table {...rest} />
    </div>
  );
}

// The page has its own first heading, so headings in a text start one level lower.
const components: Components = {
  a: DocumentLink,
  img: DocumentImage,
  table: DocumentTable,
  h1: "h2",
  h2: "h3",
  h3: "h4",
  h4: "h5",
  h5: "h6",
};

export function MarkdownDocument({ text }: { text: string }) {
  if (isCostlyMarkdown(text))
    return (
      <div className="whitespace-pre-wrap">
        <LongText text={text} />
      </div>
    );
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, refuseDeepNesting]}
      rehypePlugins={[breakLongWords]}
      components={components}
      urlTransform={(address, _key, node) => safeAddress(address, node.tagName === "img" ? "image" : "link")}
    >
      {drawableText(text)}
    </ReactMarkdown>
  );
}
