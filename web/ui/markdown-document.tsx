import type { ComponentProps } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { isCostlyMarkdown } from "./markdown-cost.ts";
import { isElsewhere, safeAddress } from "./safe-address.ts";
import "./markdown.css";

const deepest = 64;

interface TreeNode {
  children?: readonly TreeNode[];
}

/** A thousand nested quotes would overflow the stack of everything that walks the tree after us. */
function refuseDeepNesting() {
  return (tree: TreeNode): void => {
    let level: readonly TreeNode[] = [tree];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > deepest) throw new Error("This text is nested too deeply to be shown as a document.");
      level = level.flatMap((node) => node.children ?? []);
    }
  };
}

/** The renderer hands its own tree along with the attributes; on an element it would become one of them. */
function attributesOf<Props extends object>(props: Props): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => name !== "node")) as Props;
}

function DocumentLink({ href, children, ...rest }: ComponentProps<"a">) {
  if (href === undefined) return <span>{children}</span>;
  return (
    <a
      {...attributesOf(rest)}
      href={href}
      {...(isElsewhere(href) ? { target: "_blank", rel: "noopener noreferrer nofollow" } : {})}
    >
      {children}
    </a>
  );
}

function DocumentImage({ src, alt = "", title }: ComponentProps<"img">) {
  if (!src) return <span>{alt}</span>;
  // Whoever hosts the picture learns as little as possible about who looks at it.
  return <img src={src} alt={alt} title={title} loading="lazy" decoding="async" referrerPolicy="no-referrer" />;
}

function DocumentTable(props: ComponentProps<"table">) {
  return (
    <div className="markdown-table">
      <table {...attributesOf(props)} />
    </div>
  );
}

// The page has its own first heading: those of a text in it start one lower.
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
  if (isCostlyMarkdown(text)) return <div className="whitespace-pre-wrap">{text}</div>;
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, refuseDeepNesting]}
      components={components}
      urlTransform={(address, _key, node) => safeAddress(address, node.tagName === "img" ? "image" : "link")}
    >
      {text}
    </ReactMarkdown>
  );
}
