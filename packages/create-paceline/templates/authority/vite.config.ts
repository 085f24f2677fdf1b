import { paceline } from "@paceline/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  // Saving src/rooms.ts starts its rooms again; players come back by themselves.
  plugins: [paceline({ game: "src/rooms.ts" })],
});
