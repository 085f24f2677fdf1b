/** The server of `paceline start` as a program of its own. */
import process from "node:process";
import { serve } from "paceline";

await serve(process.argv.slice(2), "relay-server");
