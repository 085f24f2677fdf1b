export { serve } from "./server/serve.js";
