import { expect, it } from "vitest";

import { createEventReader, type StreamEvent } from "./event-stream.ts";

function read(...chunks: string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  const add = createEventReader((event) => events.push(event));
  for (const chunk of chunks) add(chunk);
  return events;
}

it("reads events however they are cut into chunks", () => {
  const text = ': hello\n\nid: 4\nevent: call\ndata: {"a":1}\n\ndata: one\r\ndata:two\r\n\r\n';
  const expected = [
    { event: "call", data: '{"a":1}', id: "4" },
    { event: "message", data: "one\ntwo", id: "4" },
  ];
  expect(read(text)).toEqual(expected);
  expect(read(...text.split(""))).toEqual(expected);
});

it("ignores heartbeats and an event that is not complete", () => {
  expect(read(": beat\n\n", "\n\n", "data: half\n")).toEqual([]);
});
