import { ImageOff } from "lucide-react";
import { type ComponentProps, createContext, use } from "react";

import { oneLine } from "../text/drawable-text.ts";
import { hostOf, isElsewhere } from "./safe-address.ts";

/** A link must not be inside another link. */
export const WithinLink = createContext(false);

/**
 * A picture of this site, or one embedded in the text. Any other picture is only a link: loading it would tell its host
 * who looks at this page, and when.
 */
export function DocumentImage({ src, alt: whole = "", title }: ComponentProps<"img">) {
  const isWithinLink = use(WithinLink);
  const alt = oneLine(whole);
  if (!src) return <span>{alt}</span>;
  const isBrought = src.trim().toLowerCase().startsWith("data:");
  if (isBrought || !isElsewhere(src))
    return <img src={src} alt={alt} title={title} loading="lazy" decoding="async" referrerPolicy="no-referrer" />;
  const host = oneLine(hostOf(src));
  const label = (
    <>
      <ImageOff aria-hidden="true" />
      {alt ? <span>{alt}</span> : null}
      <span className="markdown-image-host">
        {isWithinLink ? "Image" : "Open image"} from {host}
      </span>
    </>
  );
  if (isWithinLink)
    return (
      <span className="markdown-image" title={title}>
        {label}
      </span>
    );
  return (
    <a className="markdown-image" href={src} title={title} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}
