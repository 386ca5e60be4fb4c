import type { Strip, Surface, Transform } from "./far-drawing.ts";

/** Draws everything that is in this part of the surface. */
type DrawStrip = (context: CanvasRenderingContext2D, view: Transform, strip: Strip) => void;

/**
 * The canvas of the far view. While the view only moves, what is drawn is shifted, and only the strips that come into
 * view are drawn: drawing twenty thousand boxes in each frame would be six times too slow.
 */
export function createFarSurface(element: HTMLCanvasElement, context: CanvasRenderingContext2D, drawStrip: DrawStrip) {
  let last: { view: Transform; surface: Surface } | undefined;

  function drawIn(view: Transform, { ratio }: Surface, strip: Strip): void {
    context.save();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.beginPath();
    context.rect(strip.left, strip.top, strip.right - strip.left, strip.bottom - strip.top);
    context.clip();
    drawStrip(context, view, strip);
    context.restore();
  }

  function shift(x: number, y: number): void {
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    // Replaces all pixels, also those that nothing is moved to.
    context.globalCompositeOperation = "copy";
    context.drawImage(element, x, y);
    context.restore();
  }

  return {
    /** What is drawn is no longer right, wherever it is. */
    forget(): void {
      last = undefined;
    },

    show(wanted: Transform, surface: Surface): void {
      const { width, height, ratio } = surface;
      const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (element.width !== wide || element.height !== tall) {
        [element.width, element.height] = [wide, tall];
        last = undefined;
      }
      // Whole device pixels, because a shift by part of a pixel would blur the picture a little more each time.
      const toPixel = (value: number) => Math.round(value * ratio) / ratio;
      const view = { x: toPixel(wanted.x), y: toPixel(wanted.y), zoom: wanted.zoom };
      const before = last;
      last = { view, surface };
      const whole = { left: 0, top: 0, right: width, bottom: height };
      if (!before || before.view.zoom !== view.zoom || before.surface.ratio !== ratio)
        return drawIn(view, surface, whole);
      const [x, y] = [view.x - before.view.x, view.y - before.view.y];
      if (x === 0 && y === 0) return;
      if (Math.abs(x) >= width || Math.abs(y) >= height) return drawIn(view, surface, whole);
      shift(Math.round(x * ratio), Math.round(y * ratio));
      for (const strip of uncoveredBy(x, y, surface)) drawIn(view, surface, strip);
    },
  };
}

/** What comes into view when everything moves by x and y: at most a strip at one side and one at the top or bottom. */
export function uncoveredBy(x: number, y: number, { width, height }: Pick<Surface, "width" | "height">): Strip[] {
  const strips: Strip[] = [];
  if (x > 0) strips.push({ left: 0, top: 0, right: x, bottom: height });
  if (x < 0) strips.push({ left: width + x, top: 0, right: width, bottom: height });
  if (y > 0) strips.push({ left: 0, top: 0, right: width, bottom: y });
  if (y < 0) strips.push({ left: 0, top: height + y, right: width, bottom: height });
  return strips;
}
