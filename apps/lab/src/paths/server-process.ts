/** A process with one server, whose rooms relay their players' packets, for `pnpm bench paths`. */
import { defineServer } from "@paceline/server";
import { openLimits } from "../connect/systems/paceline-limits.js";

const server = defineServer({ rooms: { players: { maxPlayers: 32 } }, limits: openLimits });
const url = await server.listen(0, "127.0.0.1");
process.on("disconnect", () => process.exit());
process.send!(url);
