import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [paceline({ rooms: { cave: { maxPlayers: 8 } } })],
  build: { target: "es2022" },
});
