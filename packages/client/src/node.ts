export { NodeWebSocket } from "@paceline/transport/node";
