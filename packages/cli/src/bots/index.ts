export { ByteMeter, type WebRtc } from "./byte-meter.js";
export { PlayerBot, type PlayerBotOptions } from "./player-bot.js";
export { Swarm, type PassFigures, type StayFigures, type SwarmBot, type SwarmOptions } from "./swarm.js";
