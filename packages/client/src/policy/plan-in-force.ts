import {
  circumstancesOf,
  hasDirectLinks,
  planFor,
  type ChannelPolicyOf,
  type Environment,
  type Plan,
  type Profile,
} from "@paceline/transport";

/** The present plan of a join and of its room. Links, sessions and budgets read it at each use. */
export class PlanInForce {
  #plan: Plan;

  /** @param first plan until the room decides */
  constructor(first: Plan) {
    this.#plan = first;
  }

  get plan(): Plan {
    return this.#plan;
  }

  replace(plan: Plan): void {
    this.#plan = plan;
  }

  /** Returns the policy of a channel. */
  readonly channel: ChannelPolicyOf = (name) => this.plan.channels[name];

  /** True if the plan has direct links to other players. */
  get isDirectWanted(): boolean {
    return hasDirectLinks(this.plan);
  }
}

/** Returns the plan of a page that has no peers yet. */
export function firstPlan(
  profile: Profile,
  available: Omit<Environment, "device">,
  topology = profile.topology,
): Plan {
  const device = { battery: "unknown", network: "unknown" } as const;
  return planFor({ ...circumstancesOf(profile, { ...available, device }), topology }, profile);
}
