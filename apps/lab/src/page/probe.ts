/** The laboratory's page. The program that drives the browser calls the methods of the global `probe`. */
import type { LineReport } from "../loss/scene.js";
import { BallWatch } from "./ball-watch.js";
import { Participation, type JoinOptions, type ProbeReport } from "./participation.js";
import { candidatePairs, connectionSteps, rememberPeerConnections } from "./peer-connections.js";

let current: Participation | undefined;
let ball: BallWatch | undefined;

function present(): Participation {
  if (!current) throw new Error("the probe is in no room");
  return current;
}

const probe = {
  /** Joins the room; leaves it first if the probe is in one. */
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
  async watchBall(): Promise<void> {
    ball = await BallWatch.begin();
  },
  lineReport: (): Promise<LineReport | undefined> => ball?.report() ?? Promise.resolve(undefined),
  markLine: () => ball?.mark(),
  lineStages: () => ball?.stages() ?? [],
  candidates: () => candidatePairs(),
  /** Returns the steps of each WebRTC connection, in ms from the last join. */
  steps: () => connectionSteps().map((each) => present().since(each)),
};

rememberPeerConnections();
(globalThis as { probe?: typeof probe }).probe = probe;
