/** Participants that leave a room with an authority. */
import { CloseCode } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { RoomAuthority, RoomHost, Seat } from "../src/index.js";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { Player } from "./player.js";
import { VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

const none = (): undefined => undefined;

function authorityOf(left: RoomHost["left"]): RoomAuthority {
  const host: RoomHost = {
    info: { tickHz: 10, kinds: [], inputHash: 0 },
    tickFor: () => 0,
    join: () => Promise.resolve(undefined),
    receive: none,
    receiveEvent: none,
    receiveState: none,
    receiveInput: none,
    acknowledged: none,
    dropped: none,
    returned: none,
    left,
    draining: none,
    close: none,
  };
  return {
    authorize: ({ options }) => Promise.resolve({ auth: true, options }),
    open: () => Promise.resolve(host),
  };
}

async function turns(stage: VirtualRegistry): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    stage.scheduler.advance(10);
    await new Promise(setImmediate);
  }
}

async function joined(
  left: RoomHost["left"],
): Promise<{ readonly stage: VirtualRegistry; readonly player: Player; readonly link: VirtualLink }> {
  const stage = new VirtualRegistry({ rooms: { led: { authority: authorityOf(left) } } });
  const request = { method: "create", target: "led", options: {}, webrtc: false, token: "" } as const;
  const { ticket } = (await stage.registry.match(request, { address: "", headers: {} })) as Seat;
  const link = stage.link();
  const player = new Player(stage.scheduler);
  stage.registry.admit(new AdmittedLink(link.relay), ticket);
  player.attach(link.player);
  await turns(stage);
  return { stage, player, link };
}

describe("a participant that leaves a room with an authority", () => {
  test("has its link until the authority has let it go", async () => {
    let letGo = (): void => undefined;
    const { stage, player } = await joined(() => new Promise<void>((resolve) => (letGo = resolve)));
    player.tell({ type: "leave" });
    await turns(stage);
    expect([stage.registry.participants.size, player.close]).toEqual([0, undefined]);
    letGo();
    await turns(stage);
    expect(player.close).toMatchObject({ code: CloseCode.left });
  });

  test("has its link for 2 s at most, and is not heard meanwhile", async () => {
    const { stage, player } = await joined(() => new Promise<void>(() => undefined));
    player.tell({ type: "leave" });
    await turns(stage);
    for (let count = 0; count < 3; count++) player.tell({ type: "stripe" });
    stage.scheduler.advance(1700);
    expect([player.of("stripe"), player.close]).toEqual([[], undefined]);
    stage.scheduler.advance(200);
    expect(player.close).toMatchObject({ code: CloseCode.left });
  });
});
