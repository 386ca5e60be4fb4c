export interface Place {
  line: number;
  column: number;
}

/** A file that cannot be imported. The message is for people and ends with the place, if known. */
export class GraphmlError extends Error {
  readonly reason: string;
  readonly place: Place | undefined;

  constructor(reason: string, place?: Place) {
    super(place ? `${reason} (line ${place.line}, column ${place.column})` : reason);
    this.name = "GraphmlError";
    this.reason = reason;
    this.place = place;
  }

  get line(): number | undefined {
    return this.place?.line;
  }

  get column(): number | undefined {
    return this.place?.column;
  }
}
