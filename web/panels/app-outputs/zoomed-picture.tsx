import { ImageDown, X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { useState } from "react";

import { classes } from "../../ui/classes.ts";
import { OutputAction } from "../../ui/output/output-action.tsx";
import { savePicture } from "../../ui/output/save-file.ts";
import { toast } from "../../ui/overlay/toast.ts";

interface ZoomedPictureProps {
  address: string;
  label: string;
  /** A drawing may have no size of its own. */
  isDrawing: boolean;
}

/** A picture that opens over the whole window, where it can be moved and pinched. */
export function ZoomedPicture({ address, label, isDrawing }: ZoomedPictureProps) {
  const [isLarge, setLarge] = useState(false);
  return (
    <figure className="flex flex-col items-start gap-2">
      <Primitive.Root onOpenChange={() => setLarge(false)}>
        <Primitive.Trigger className="max-w-full cursor-zoom-in rounded-md" aria-label={`Enlarge ${label}`}>
          <img
            src={address}
            alt={label}
            draggable={false}
            className={classes("max-h-[60dvh] object-contain", isDrawing ? "w-full" : "max-w-full")}
          />
        </Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Overlay className="fixed inset-0 z-50 animate-fade bg-canvas" />
          <Primitive.Content
            aria-describedby={undefined}
            className="fixed inset-0 z-50 overflow-auto focus-visible:outline-none"
          >
            <Primitive.Title className="sr-only">{label}</Primitive.Title>
            <button
              type="button"
              onClick={() => setLarge(!isLarge)}
              aria-label={isLarge ? "Fit into the window" : "Show in its own size"}
              className={classes(
                "grid min-h-full min-w-full place-items-center p-4",
                isLarge ? "cursor-zoom-out" : "h-full cursor-zoom-in",
              )}
            >
              <img
                src={address}
                alt={label}
                draggable={false}
                className={isLarge ? "max-w-none" : "max-h-[calc(100dvh-2rem)] max-w-full object-contain"}
              />
            </button>
            <Primitive.Close
              aria-label="Close"
              className="fixed top-3 right-3 grid size-11 place-items-center rounded-full bg-raised shadow-high"
            >
              <X className="size-5" aria-hidden="true" />
            </Primitive.Close>
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
      <OutputAction
        icon={ImageDown}
        label="Save"
        hint={`Save ${label} as a picture`}
        onClick={() => {
          savePicture(label, address).catch(() => toast.error("The picture could not be made."));
        }}
      />
    </figure>
  );
}
