export {
  DEFAULT_CONVERGENCE,
  RemoteBody,
  kinematicsOf,
  noteWritten,
  reckoningModelOf,
  sampleMotion,
  sendDecisionOf,
} from "@paceline/netcode";
