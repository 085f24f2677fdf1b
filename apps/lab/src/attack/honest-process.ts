/** A process of honest players: joins, talks and visits until its parent ends. */
import { recordCaptures } from "./hostile/captures.js";
import { HonestRoom } from "./honest-room.js";
import { serveOrders, type HonestOrder } from "./messages.js";

let room: HonestRoom | undefined;

async function obey(order: HonestOrder): Promise<unknown> {
  switch (order.do) {
    case "begin":
      room = await HonestRoom.open(order.url);
      return room.roomId;
    case "record":
      return await recordCaptures(order.url);
    case "figures":
      return await room?.figures(order.isSettled);
    case "visits":
      if (room) room.hasVisits = order.areOn;
      return undefined;
    case "pad":
      if (room) room.paddingBytes = order.bytes;
      return undefined;
    case "watch":
      await room?.watch(order.isOn);
      return undefined;
  }
}

serveOrders(obey);
