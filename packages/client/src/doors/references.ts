export { ReferenceCycle } from "@paceline/netcode";
export { ReferenceSender } from "@paceline/protocol";
