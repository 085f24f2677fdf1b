import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { Requests } from "../src/session/requests.js";
import { BusyLoop } from "./busy-loop.js";

function newRequests() {
  const scheduler = new VirtualScheduler();
  const ids: number[] = [];
  const requests = new Requests(scheduler);
  return {
    scheduler,
    ids,
    requests,
    ask: (timeoutMs = 1000) => requests.start(timeoutMs, (id) => ids.push(id)),
  };
}

test("each request gets the reply to its own id, in any order", async () => {
  const { requests, ids, ask } = newRequests();
  const answers = [ask(), ask(), ask()];
  requests.reply(ids[2]!, true, "third");
  requests.reply(ids[0]!, true, undefined);
  requests.reply(ids[1]!, false, "no such thing");
  expect(await answers[2]).toBe("third");
  expect(await answers[0]).toBeUndefined();
  await expect(answers[1]).rejects.toMatchObject({
    code: "request/refused",
    message: "no such thing [request/refused]",
  });
});

test("a refusal without a text rejects the request too", async () => {
  const { requests, ids, ask } = newRequests();
  const answer = ask();
  requests.reply(ids[0]!, false, { toString: 1 });
  await expect(answer).rejects.toMatchObject({ message: "refused [request/refused]" });
});

test("without a reply a request times out; late, repeated and unknown replies are ignored", async () => {
  const { scheduler, requests, ids, ask } = newRequests();
  const answer = ask(250);
  scheduler.advance(249);
  expect(scheduler.nextAtMs).toBe(250);
  scheduler.advance(1);
  await expect(answer).rejects.toMatchObject({ code: "request/timeout", retryable: true });
  requests.reply(ids[0]!, true, "late");
  requests.reply(99, true, "unasked");
  const next = ask();
  requests.reply(ids[1]!, true, 1);
  requests.reply(ids[1]!, true, 2);
  expect(await next).toBe(1);
  // No timer remains.
  expect(scheduler.nextAtMs).toBeUndefined();
});

test.each([250, 600, 5000])(
  "a reply that arrived while this page stood still settles a request with a timeout of %i ms",
  async (timeoutMs) => {
    const scheduler = new VirtualScheduler();
    const loop = new BusyLoop(scheduler);
    const requests = new Requests(loop);
    const answer = requests.start(timeoutMs, (id) => {
      // The page reads it after its overdue timers, and a little later.
      scheduler.after(2 * timeoutMs + 50, () => requests.reply(id, true, "here"));
    });
    scheduler.advance(20);
    loop.stall(2 * timeoutMs);
    scheduler.advance(4 * timeoutMs);
    expect(await answer).toBe("here");
    expect(scheduler.nextAtMs).toBeUndefined();
  },
);

test("all requests fail when the peer leaves, and a request that cannot be sent fails alone", async () => {
  const { scheduler, requests, ask } = newRequests();
  const waiting = [ask(), ask()];
  const unsent = requests.start(100, () => {
    throw new RangeError("too long");
  });
  await expect(unsent).rejects.toThrow(RangeError);
  requests.failAll("transport/closed", "the peer has left");
  for (const answer of waiting) await expect(answer).rejects.toMatchObject({ code: "transport/closed" });
  expect(scheduler.nextAtMs).toBeUndefined();
});
