/** A canvas cannot use CSS variables: their values are looked up once. */
export function colourReader(element: Element): (name: string) => string {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const variable = /^var\((--[\w-]+)\)$/.exec(name)?.[1];
    const colour = variable ? style.getPropertyValue(variable) : name;
    known.set(name, colour);
    return colour;
  };
}
