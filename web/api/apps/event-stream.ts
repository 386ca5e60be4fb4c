/** One event of a stream of server-sent events. */
export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

/**
 * Reads server-sent events from chunks of text. The browser's own `EventSource` can send no headers, and visitors need
 * one.
 */
export function createEventReader(onEvent: (event: StreamEvent) => void): (chunk: string) => void {
  let [rest, event, id] = ["", "", ""];
  let data: string[] = [];
  const line = (text: string): void => {
    if (text === "") {
      if (data.length > 0) onEvent({ event: event || "message", data: data.join("\n"), id });
      [event, data] = ["", []];
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id") id = value;
  };
  return (chunk) => {
    rest += chunk;
    for (;;) {
      // A carriage return at the end may be the first half of a line break.
      const end = /\r\n|\n|\r(?!$)/.exec(rest);
      if (!end) return;
      const text = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      line(text);
    }
  };
}
