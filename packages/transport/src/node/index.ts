export * from "./node-websocket.js";
export * from "./websocket-listener.js";
