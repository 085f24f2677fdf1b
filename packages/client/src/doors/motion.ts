export {
  DEFAULT_CONVERGENCE,
  RemoteBody,
  kinematicsOf,
  noteWritten,
  sampleMotion,
  worldReckonerOf,
} from "@paceline/netcode";
