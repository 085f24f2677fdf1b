import { systemScheduler } from "../../src/scheduler.js";
import { workerScheduler } from "../../src/worker-scheduler.js";

/** Counts of timers in the page, visible or hidden. A test reads them at `window.counts`. */
const counts = { page: 0, sdk: 0 };
const PERIOD_MS = 20;
systemScheduler.every(PERIOD_MS, () => (counts.page += 1));
workerScheduler.every(PERIOD_MS, () => (counts.sdk += 1));
Object.assign(window, { counts });
