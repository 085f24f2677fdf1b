import {
  ByteWriter,
  cellNumber,
  limits,
  writeCellEnvelopeHead,
  writeControl,
  writeView,
  type CellEnvelope,
} from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { Player } from "./player.js";
import { VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

interface Member {
  readonly player: Player;
  readonly link: VirtualLink;
}

class Stage extends VirtualRegistry {
  readonly members: Member[] = [];

  constructor(count: number) {
    super({ rooms: { race: { maxPlayers: 100 } }, coalesceMs: 0 });
    while (this.members.length < count) this.members.push(this.join());
  }

  see({ player }: Member, cells: readonly number[], again = false): void {
    const message = {
      type: "view",
      cells: writeView(cells),
      ...(again && { again: true as const }),
    } as const;
    player.session.sendReliable(writeControl(message));
  }

  send({ link }: Member, states: Partial<CellEnvelope> & { readonly cell: number }, body = 7): void {
    const writer = new ByteWriter();
    writeCellEnvelopeHead(writer, { key: 0, peers: [0], ...states });
    link.player.send("state", writer.bytes(Uint8Array.of(0x28, body)).take());
  }

  async settle(ms = 50): Promise<void> {
    this.scheduler.advance(ms);
    await new Promise(setImmediate);
    this.scheduler.advance(50);
  }

  /** The last bytes of the packets that a member got since the last call. */
  got({ player }: Member): number[] {
    return player.forwarded.splice(0).map(({ packet }) => packet.at(-1)!);
  }

  get dropped(): Readonly<Record<string, number>> {
    return this.registry.drops.toRecord();
  }
}

const [here, east, far] = [cellNumber(0, 0), cellNumber(1, 0), cellNumber(-16_384, 16_383)];

describe("[WF53] states in a cell", () => {
  test("go to those who see the cell, and to those who never said what they see", async () => {
    const stage = new Stage(4);
    const [owner, near, away, other] = stage.members as [Member, Member, Member, Member];
    stage.see(near, [here]);
    stage.see(away, [far]);
    await stage.settle();
    stage.send(owner, { cell: here });
    await stage.settle();
    expect([owner, near, away, other].map((member) => stage.got(member))).toEqual([[], [7], [], [7]]);
    stage.send(owner, { cell: here, peers: [near.player.number, other.player.number] });
    await stage.settle();
    expect([near, other].map((member) => stage.got(member))).toEqual([[], []]);
  });

  test("tell those who see the cell that they have left, each once", async () => {
    const stage = new Stage(4);
    const [owner, before, both, after] = stage.members as [Member, Member, Member, Member];
    stage.see(before, [here]);
    stage.see(both, [here, east]);
    stage.see(after, [east]);
    await stage.settle();
    stage.send(owner, { cell: east, left: here });
    await stage.settle();
    expect([before, both, after].map((member) => stage.got(member))).toEqual([[7], [7], [7]]);
  });

  test("are given at once to who comes to see the cell: the newest of each key, and nothing of other cells", async () => {
    const stage = new Stage(3);
    const [owner, viewer, late] = stage.members as [Member, Member, Member];
    for (const member of [viewer, late]) stage.see(member, []);
    await stage.settle();
    stage.send(owner, { cell: here, key: 1 }, 1);
    stage.send(owner, { cell: here, key: 1 }, 2);
    stage.send(owner, { cell: here, key: 2 }, 3);
    stage.send(owner, { cell: east, key: 2, left: here }, 4);
    await stage.settle();
    stage.see(viewer, [here]);
    await stage.settle();
    expect(stage.got(viewer)).toEqual([2]);
    stage.see(viewer, [here, east]);
    await stage.settle();
    expect(stage.got(viewer)).toEqual([4]);
    stage.see(viewer, [here, east], true);
    await stage.settle();
    expect(stage.got(viewer)).toEqual([2, 4]);
    owner.player.session.close(4000, "left");
    await stage.settle(200);
    stage.see(late, [here, east]);
    await stage.settle();
    expect(stage.got(late)).toEqual([]);
  });

  test("are kept up to a limit of bytes, and not for ever", async () => {
    const stage = new Stage(2);
    const [owner, viewer] = stage.members as [Member, Member];
    stage.see(viewer, []);
    await stage.settle();
    for (let key = 1; key <= 200; key++) {
      stage.send(owner, { cell: here, key }, key & 0xff);
      if (key % 50 === 0) await stage.settle();
    }
    const held = [...stage.registry.participants.values()].map(({ cellBytes }) => cellBytes);
    expect(Math.max(...held)).toBeLessThanOrEqual(4096);
    stage.send(owner, { cell: east }, 9);
    stage.see(viewer, [here]);
    await stage.settle();
    const got = stage.got(viewer);
    expect(got.length).toBeLessThan(60);
    expect(got.at(-1)).toBe(200);
    stage.scheduler.advance(4000);
    stage.see(viewer, [east]);
    await stage.settle();
    expect(stage.got(viewer)).toEqual([]);
  });
});

describe("[WF53] a member that does not keep the rules", () => {
  test("names too many cells: a violation, and its view stays", async () => {
    const stage = new Stage(2);
    const [owner, viewer] = stage.members as [Member, Member];
    stage.see(viewer, [here]);
    stage.see(
      viewer,
      Array.from({ length: limits.viewCells + 1 }, (_, column) => cellNumber(column, 0)),
    );
    await stage.settle();
    expect(stage.dropped["bad-message"]).toBe(1);
    stage.send(owner, { cell: here });
    stage.send(owner, { cell: east });
    await stage.settle();
    expect(stage.got(viewer)).toEqual([7]);
  });

  test("changes its view a hundred times a second: the changes beyond the limit are refused and counted", async () => {
    const stage = new Stage(2);
    const [owner, hasty] = stage.members as [Member, Member];
    for (let change = 0; change < 300; change++) {
      stage.see(hasty, change % 2 === 0 ? [here] : [far]);
      stage.scheduler.advance(10);
    }
    await stage.settle();
    const taken = 300 - stage.dropped["rate-limit"]!;
    expect(taken).toBeLessThanOrEqual(2 * limits.viewsPerSecond + 3 * limits.viewsPerSecond + 2);
    expect(taken).toBeGreaterThan(2 * limits.viewsPerSecond);
    expect(owner.player.end).toBeUndefined();
    expect(hasty.player.end).toBeUndefined();
  });

  test("lies about its cell: others get its states there, and nobody else's are changed", async () => {
    const stage = new Stage(3);
    const [liar, honest, viewer] = stage.members as [Member, Member, Member];
    stage.see(viewer, [here]);
    stage.see(liar, []);
    stage.see(honest, []);
    await stage.settle();
    stage.send(liar, { cell: far }, 1);
    stage.send(honest, { cell: here }, 2);
    await stage.settle();
    expect(stage.got(viewer)).toEqual([2]);
  });

  test("leaves nothing behind", async () => {
    const stage = new Stage(3);
    const [owner, viewer] = stage.members as [Member, Member];
    stage.see(viewer, [here, east]);
    await stage.settle();
    stage.send(owner, { cell: here, key: 3 });
    await stage.settle();
    const participants = [...stage.registry.participants.values()];
    for (const { player } of [owner, viewer]) player.session.close(4000, "left");
    await stage.settle(200);
    expect(participants.map(({ cellBytes }) => cellBytes)).toEqual([0, 0, 0]);
  });
});

test("of a room of 100 where each sees 20, the relay forwards a fifth of the packets", async () => {
  const forwards = async (seesAll: boolean): Promise<number> => {
    const stage = new Stage(100);
    for (const [index, member] of stage.members.entries())
      if (!seesAll) stage.see(member, [cellNumber(Math.floor(index / 20), 0)]);
    await stage.settle();
    for (const [index, member] of stage.members.entries())
      stage.send(member, { cell: cellNumber(Math.floor(index / 20), 0), key: 1 });
    await stage.settle();
    return stage.members.reduce((sum, member) => sum + stage.got(member).length, 0);
  };
  expect([await forwards(true), await forwards(false)]).toEqual([100 * 99, 100 * 19]);
});
