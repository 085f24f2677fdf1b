import { plainDataProblem } from "@paceline/protocol";
import type { JoinRequest, MatchRefusal, RoomAuthority, RoomOptions } from "@paceline/relay";
import type { Hooks, RefusalKind } from "../hooks/hooks.js";
import { issuesText } from "../room/message-handlers.js";
import type { RoomClass } from "../room/room.js";
import { roomFailed } from "../room/running-rooms.js";

/**
 * Returns the check of players who ask for a room of this class: its `optionsSchema`, and then its `onAuth`.
 */
export function authorizerOf(roomClass: RoomClass, hooks: Hooks): RoomAuthority["authorize"] {
  return async ({ roomName, options, authToken, caller }: JoinRequest) => {
    const checked = await hooks.wait("optionsSchema", async () => {
      if (!roomClass.optionsSchema) return { value: options };
      const result = await roomClass.optionsSchema["~standard"].validate(options);
      // The welcome carries the options, so they must be plain data.
      const problem = result.issues ? undefined : plainDataProblem(result.value, "options");
      if (problem) throw problem;
      return result;
    });
    if (!checked.ok) return roomFailed("optionsSchema", checked.refusal);
    if (checked.value.issues) {
      const message = `options: ${issuesText(checked.value.issues)}`;
      return { status: 400, code: "match/bad-request", message };
    }
    const granted = checked.value.value as RoomOptions;
    let identity: string | undefined;
    const keepIdentity = (token: string): void => {
      identity = token;
    };
    const request = { roomName, options: granted, token: authToken, ...caller, keepIdentity };
    const outcome = await hooks.wait("onAuth", () => roomClass.onAuth(request));
    if (!outcome.ok) {
      return outcome.refusal === undefined ? roomFailed("onAuth") : refused(outcome.refusal, outcome.kind);
    }
    if (!outcome.value) return refused("not let in");
    return { auth: outcome.value, options: granted, identity };
  };
}

const refusals = {
  refused: { status: 403, code: "match/refused" },
  unauthorized: { status: 401, code: "match/unauthorized" },
  unavailable: { status: 503, code: "match/auth-unavailable" },
} as const;

function refused(message: string, kind: RefusalKind = "refused"): MatchRefusal {
  return { ...refusals[kind], message };
}
