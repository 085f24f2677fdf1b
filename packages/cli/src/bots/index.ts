export { PlayerBot, type PlayerBotOptions } from "./player-bot.js";
export { Swarm, type PassFigures, type StayFigures, type SwarmBot, type SwarmOptions } from "./swarm.js";
