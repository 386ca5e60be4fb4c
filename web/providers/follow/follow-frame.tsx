import { useEffect } from "react";

import { usernameColour } from "../../format/username-colour.ts";

interface FollowFrameProps {
  username: string;
  onStop: () => void;
}

/** A frame in the followed person's colour. Moving, clicking or typing in the workflow ends it, and so does Escape. */
export function FollowFrame({ username, onStop }: FollowFrameProps) {
  const colour = usernameColour(username);
  useEffect(() => {
    const isInside = ({ target }: Event): boolean =>
      target instanceof Element &&
      target.closest("[data-follow-area]") !== null &&
      target.closest("[data-testid=comments]") === null;
    const onGesture = (event: Event): void => {
      if (isInside(event)) onStop();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        onStop();
      } else if (!["Control", "Shift", "Alt", "Meta"].includes(event.key)) onGesture(event);
    };
    addEventListener("pointerdown", onGesture, true);
    addEventListener("wheel", onGesture, { capture: true, passive: true });
    addEventListener("keydown", onKey, true);
    return () => {
      removeEventListener("pointerdown", onGesture, true);
      removeEventListener("wheel", onGesture, true);
      removeEventListener("keydown", onKey, true);
    };
  }, [onStop]);
  return (
    <div
      className="pointer-events-none fixed inset-x-0 bottom-0 z-30 h-(--below-bar) border-3"
      style={{ borderColor: colour }}
      data-testid="follow-frame"
    >
      <output>
        <button
          type="button"
          onClick={onStop}
          className="pointer-events-auto absolute bottom-10 left-1/2 max-w-[90%] -translate-x-1/2 truncate rounded-full px-3 py-1 text-sm font-semibold text-white shadow-high"
          style={{ background: colour }}
        >
          Following {username} · Esc to stop
        </button>
      </output>
    </div>
  );
}
