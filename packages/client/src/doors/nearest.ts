export { measureEndpoints, nearestEndpoint, nearestRelay } from "../connection/nearest.js";
