import { useEffect } from "react";

/** Otherwise a file that is dropped where nothing accepts it would replace the page, and what was typed would be lost. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const refuse = (event: Event) => event.preventDefault();
    addEventListener("dragover", refuse);
    addEventListener("drop", refuse);
    return () => {
      removeEventListener("dragover", refuse);
      removeEventListener("drop", refuse);
    };
  }, []);
}
