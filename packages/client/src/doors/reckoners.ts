export { reckonerOf } from "@paceline/netcode";
