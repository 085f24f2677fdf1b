import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [paceline({ rooms: { quiz: { maxPlayers: 16 } } })],
  build: { target: "es2022" },
});
