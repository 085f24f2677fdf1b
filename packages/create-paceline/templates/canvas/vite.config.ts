import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  // The server for development has the page and this room; "npm start" has the same room for players.
  plugins: [paceline({ rooms: { canvas: { maxPlayers: 8 } } })],
});
