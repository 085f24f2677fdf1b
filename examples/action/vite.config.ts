import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [paceline({ rooms: { brawl: { maxPlayers: 8 } } })],
  build: { target: "es2022" },
});
