import { expect, test } from "vitest";
import { channelInit, dataChannels, type DataChannelName } from "../src/webrtc/channels.js";

test("the channel of events drops one after the plan's lifetime; the other channels have fixed options", () => {
  expect(channelInit("event", 500)).toEqual({
    negotiated: true,
    id: 2,
    ordered: false,
    maxPacketLifeTime: 500,
  });
  expect(channelInit("event")).toMatchObject({ maxPacketLifeTime: 1500 });
  expect(channelInit("event", Infinity)).toMatchObject({ maxPacketLifeTime: 1500 });
  for (const name of ["command", "state", "reference", "bulk"] as DataChannelName[])
    expect(channelInit(name, 500)).toEqual(dataChannels[name].init);
});
