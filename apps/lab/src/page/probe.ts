/** The page that browsers open in the laboratory: whoever drives them calls the methods of the global `probe`. */
import { Participation, type JoinOptions, type ProbeReport } from "./participation.js";
import { candidatePairs, connectionSteps, rememberPeerConnections } from "./peer-connections.js";

let current: Participation | undefined;

function present(): Participation {
  if (!current) throw new Error("the probe is in no room");
  return current;
}

const probe = {
  /** Joins the room, anew where the probe was in one. */
  async join(options: JoinOptions): Promise<void> {
    current?.leave();
    current = await Participation.begin(options);
  },
  leave(): void {
    current?.leave();
    current = undefined;
  },
  mark: () => present().mark(),
  stopTalking: () => present().stopTalking(),
  allowDirect: (isAllowed: boolean) => present().allowDirect(isAllowed),
  report: (): ProbeReport => present().report(),
  candidates: () => candidatePairs(),
  /** Of each WebRTC connection, in ms from the last joining. */
  steps: () => connectionSteps().map((each) => present().since(each)),
};

rememberPeerConnections();
(globalThis as { probe?: typeof probe }).probe = probe;
