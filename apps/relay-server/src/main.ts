/** Runs the server of `paceline start` as a separate program. */
import process from "node:process";
import { serve } from "paceline";

await serve(process.argv.slice(2), "relay-server");
