import { useState } from "react";

import type { AppCard } from "@miranda/contract/schemas/deployments/deployments.ts";

import { pictureAddress } from "../../../api/apps/apps.ts";
import { classes } from "../../../ui/classes.ts";
import { drawingOf } from "./app-drawing.ts";

interface AppPictureProps {
  app: Pick<AppCard, "id" | "name" | "picture">;
  className: string;
}

/** The picture of an app. Without one, a drawing of its own: the same for everybody. */
export function AppPicture({ app, className }: AppPictureProps) {
  const [failed, setFailed] = useState(false);
  const address = pictureAddress(app);
  const frame = classes("block overflow-hidden bg-sunken", className);
  if (address === undefined || failed)
    return (
      <span aria-hidden="true" className={frame}>
        <Drawing name={app.name} />
      </span>
    );
  return (
    <span className={frame}>
      <img
        src={address}
        alt=""
        loading="lazy"
        decoding="async"
        className="size-full object-cover"
        onError={() => setFailed(true)}
      />
    </span>
  );
}

function Drawing({ name }: { name: string }) {
  const { hue, nodes, edges } = drawingOf(name);
  return (
    <svg viewBox="0 0 160 90" preserveAspectRatio="xMidYMid slice" className="size-full">
      <rect width="160" height="90" fill={`oklch(0.62 0.09 ${hue})`} />
      <path d="M0 90 L160 0 V90 Z" fill={`oklch(0.54 0.1 ${(hue + 24) % 360} / 0.7)`} />
      <g fill="none" stroke="oklch(1 0 0 / 0.55)" strokeWidth="1.5">
        {edges.map(([from, to]) => (
          <path
            key={`${from.x} ${to.x} ${to.y}`}
            d={`M${from.x} ${from.y} C ${(from.x + to.x) / 2} ${from.y}, ${(from.x + to.x) / 2} ${to.y}, ${to.x} ${to.y}`}
          />
        ))}
      </g>
      {nodes.map(({ x, y, size }) => (
        <rect
          key={`${x} ${y}`}
          x={x - size}
          y={y - size * 0.7}
          width={size * 2}
          height={size * 1.4}
          rx="4"
          fill="oklch(1 0 0 / 0.9)"
        />
      ))}
    </svg>
  );
}
