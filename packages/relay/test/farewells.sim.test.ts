/** Participants that leave a room with an authority. */
import { CloseCode } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { ParticipantCallbacks, RoomAuthority, Seat } from "../src/index.js";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { authority } from "./authority.js";
import { Player } from "./player.js";
import { VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

function authorityOf(left: ParticipantCallbacks["left"]): RoomAuthority {
  return authority({ player: () => ({ left }) });
}

async function turns(stage: VirtualRegistry): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    stage.scheduler.advance(10);
    await new Promise(setImmediate);
  }
}

async function joined(
  left: ParticipantCallbacks["left"],
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
