import { describe, expect, test } from "vitest";

import { broadcastChannels } from "./broadcast-channels.ts";
import { broadcastEvent, logsEvent, parseBroadcastEvent, receivedBroadcast } from "./events.ts";
import { broadcastData } from "./schemas/broadcasts.ts";

describe("broadcasts", () => {
  test.each(broadcastChannels)("S7-097 reads back the channel and the sender of %s", (channel) => {
    const event = broadcastEvent("ada", channel);
    expect(event).toBe(`broadcast<ada>(${channel})`);
    expect(parseBroadcastEvent(event)).toEqual({ sender: "ada", channel });
    expect(receivedBroadcast(channel)).toBe(`broadcast(${channel})`);
  });

  test.each(["", "broadcast", "broadcast(selection)", "broadcast<ada>(dance)", "broadcast<ada>(selection) ", "status"])(
    "reads %j as no broadcast",
    (event) => expect(parseBroadcastEvent(event)).toBeUndefined(),
  );

  test("S7-097 does not let a sender pose as another channel or person", () => {
    expect(parseBroadcastEvent(broadcastEvent("x>(selection)", "update[CODE]"))).toEqual({
      sender: "x>(selection)",
      channel: "update[CODE]",
    });
  });

  test("has a schema for the data of each channel", () => {
    expect(Object.keys(broadcastData)).toEqual([...broadcastChannels]);
    expect(broadcastData.selection.safeParse({ metadata_ids: [1, "2"] }).success).toBe(false);
  });
});

test("S7-116 puts the id of the job into log events", () => {
  expect(logsEvent("j1")).toBe("logs[j1]");
});
