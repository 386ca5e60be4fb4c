import { Link2 } from "lucide-react";
import { type ComponentProps, isValidElement, type ReactNode } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import { Link } from "react-router";
import remarkGfm from "remark-gfm";

import { safeAddress } from "../../ui/markdown/safe-address.ts";
import { CodeSample } from "./code-sample.tsx";
import { pictureAddress } from "./handbook-files.ts";
import { anchorOf, withoutComments } from "./sections.ts";
import "../../ui/markdown/markdown.css";
import "./handbook.css";

// The renderer passes its syntax tree as the prop `node`; it must not become an attribute of an element.

type HeadingProps = ComponentProps<"h2"> & ExtraProps;

function heading(Tag: "h1" | "h2" | "h3" | "h4") {
  return function Heading({ children }: HeadingProps) {
    if (Tag === "h1") return <h1>{children}</h1>;
    const text = textOf(children);
    const id = anchorOf(isValidElement(children) ? `\`${text}\`` : text);
    return (
      <Tag id={id} className="handbook-heading">
        <a href={`#${id}`}>
          {children}
          <Link2 className="handbook-anchor" aria-hidden="true" />
        </a>
      </Tag>
    );
  };
}

/** `page.md#part` is another page of the handbook; other addresses are as in every document. */
function HandbookLink({ href = "", children }: ComponentProps<"a"> & ExtraProps) {
  const page = /^([\w-]+)\.md(#.*)?$/.exec(href);
  if (page) return <Link to={`/docs/${page[1]}${page[2] ?? ""}`}>{children}</Link>;
  if (href.startsWith("#")) return <a href={href}>{children}</a>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Picture({ src = "", alt }: ComponentProps<"img"> & ExtraProps) {
  const address = pictureAddress(src);
  return address === undefined ? null : <img src={address} alt={alt ?? ""} loading="lazy" decoding="async" />;
}

function Block({ children }: ComponentProps<"pre"> & ExtraProps) {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return <pre>{children}</pre>;
  const { className = "", children: code } = children.props;
  return <CodeSample language={className.replace("language-", "")} text={textOf(code).replace(/\n$/, "")} />;
}

function Table({ children }: ComponentProps<"table"> & ExtraProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <section className="markdown-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  );
}

const components: Components = {
  h1: heading("h1"),
  h2: heading("h2"),
  h3: heading("h3"),
  h4: heading("h4"),
  a: HandbookLink,
  img: Picture,
  pre: Block,
  table: Table,
};

/** A page of the handbook. It is our own text, yet HTML in it stays text and only safe addresses become links. */
export function HandbookDocument({ text }: { text: string }) {
  return (
    <div className="markdown handbook">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={components}
        urlTransform={(address, _key, node) => safeAddress(address, node.tagName === "img" ? "image" : "link")}
      >
        {withoutComments(text)}
      </ReactMarkdown>
    </div>
  );
}

function textOf(children: ReactNode): string {
  if (typeof children === "string" || typeof children === "number") return String(children);
  if (Array.isArray(children)) return children.map(textOf).join("");
  return isValidElement<{ children?: ReactNode }>(children) ? textOf(children.props.children) : "";
}
