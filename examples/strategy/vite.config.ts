import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [paceline({ rooms: { field: { maxPlayers: 2 } } })],
  build: { target: "es2022" },
});
