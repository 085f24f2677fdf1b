export {
  DEFAULT_CONVERGENCE,
  RemoteBody,
  kinematicsOf,
  noteWritten,
  reckoningModelOf,
  sampleMotion,
} from "@paceline/netcode";
