import { classLooks } from "../cards/kind-colours.ts";

const palette = [
  ["#0e7c86", "Teal"],
  ["#2f6fdb", "Blue"],
  ["#7c4dd8", "Violet"],
  ["#b8438f", "Pink"],
  ["#c2452d", "Red"],
  ["#b7791f", "Ochre"],
  ["#4d8b31", "Green"],
  ["#64748b", "Slate"],
] as const;

interface ColourChoiceProps {
  /** Undefined when the selected nodes differ. */
  colour: string | null | undefined;
  /** The colour of a node without its own. */
  plain?: string;
  disabled?: boolean;
  onChoose: (colour: string | null) => void;
}

export function ColourChoice({ colour, plain, disabled = false, onChoose }: ColourChoiceProps) {
  const choices = [[null, "Default colour"] as const, ...palette];
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5" aria-label="Colour">
      {choices.map(([choice, label]) => (
        <button
          key={label}
          type="button"
          disabled={disabled}
          aria-label={label}
          title={label}
          aria-pressed={colour === choice}
          onClick={() => onChoose(choice)}
          style={{ background: choice ?? plain ?? classLooks.Code_block.colour }}
          className="size-5 rounded-full border-2 border-surface ring-1 ring-line aria-pressed:ring-2 aria-pressed:ring-ink disabled:opacity-60"
        />
      ))}
    </fieldset>
  );
}
