export { PlayerBot, type PlayerBotOptions } from "./player-bot.js";
export { Swarm, type PassFigures, type StayFigures, type SwarmBot, type SwarmOptions } from "./swarm.js";
export { WALK_EDGE_M, WalkingBot, type WalkingBotOptions } from "./walking-bot.js";
export { walkNames, walkOf, type Walk, type WalkName, type WalkOptions } from "./walks.js";
