import { useEffect, useState } from "react";

interface DebouncedText {
  /** What the field shows. */
  text: string;
  setText: (text: string) => void;
  /** The text at the last pause. */
  committed: string;
  /** Ends the wait, on blur or Enter. */
  commit: () => void;
  isWaiting: boolean;
}

export function useDebouncedText(delay: number, initial = ""): DebouncedText {
  const [text, setText] = useState(initial);
  const [committed, setCommitted] = useState(initial);

  useEffect(() => {
    const timer = setTimeout(() => setCommitted(text), delay);
    return () => clearTimeout(timer);
  }, [text, delay]);

  return { text, setText, committed, commit: () => setCommitted(text), isWaiting: text !== committed };
}
