import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [paceline({ game: "rooms.ts" })],
  build: { target: "es2022" },
});
