const SLICE_MS = 25;

/** Runs long work to its end and lets the page paint and answer after every {@link SLICE_MS} of it. */
export async function inSlices(work: Iterator<void>): Promise<void> {
  let endMs = performance.now() + SLICE_MS;
  while (work.next().done !== true) {
    if (performance.now() < endMs) continue;
    // Unlike a timer, a message comes at once and after what the page has to do anyway.
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => {
        port1.close();
        resolve();
      });
      port1.start();
      port2.postMessage(undefined);
    });
    endMs = performance.now() + SLICE_MS;
  }
}
