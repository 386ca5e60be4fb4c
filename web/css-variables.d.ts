import "react";

declare module "react" {
  interface CSSProperties {
    /** A CSS variable that an element sets for its style sheet. */
    [variable: `--${string}`]: string | number | undefined;
  }
}
