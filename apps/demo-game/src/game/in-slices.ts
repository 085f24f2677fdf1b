const SLICE_MS = 25;

/** Runs long work. After every {@link SLICE_MS} the page can paint and handle input. */
export async function inSlices(work: Iterator<void>): Promise<void> {
  let endMs = performance.now() + SLICE_MS;
  while (work.next().done !== true) {
    if (performance.now() < endMs) continue;
    // A message is not delayed like a timer, and comes after the page's waiting tasks.
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
