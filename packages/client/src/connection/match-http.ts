import {
  NetError,
  PROTOCOL_VERSION,
  type MatchAnswer,
  type MatchBody,
  type RefusalAnswer,
  type SeatClaim,
} from "@paceline/protocol";
import { afterOwnTime, type Scheduler } from "@paceline/transport";
import { anySignal } from "./abortable.js";
import { fieldsOf, linkUrlOf, netError, type JoinCall } from "./match-request.js";
import { whoOf } from "./tab-seat.js";

// Requests by HTTP. Most joins need none, because the upgrade of their link carries the request.

/** Fields that an answer should have, with unchecked values. */
export type Unchecked<Answer> = { readonly [Name in keyof Answer]?: unknown };

/** A seat that the server keeps for some seconds. */
export interface Seat {
  readonly ticket: string;
  readonly roomName: string;
  readonly linkUrl: string;
}

export interface MatchRequest {
  /** http(s) address of the server, without a slash at its end. */
  readonly serverUrl: string;
  readonly call: JoinCall;
  readonly webrtc: boolean;
  /** Time limit of the answer while this page's loop runs, ms. */
  readonly timeoutMs: number;
  readonly scheduler: Pick<Scheduler, "after">;
  readonly signal?: AbortSignal | undefined;
}

/** Requests a seat from the server. Rejects with {@link NetError}. */
export async function requestSeat(request: MatchRequest): Promise<Seat> {
  const answer = await askServer(request);
  const { identity }: Unchecked<MatchAnswer> = fieldsOf(answer);
  if (typeof identity === "string") request.call.credentials?.keep(identity);
  return seatOf(answer, request.serverUrl);
}

/** Requests an answer from the server. Rejects with {@link NetError} if it refuses or is unreachable. */
export function askServer(request: MatchRequest): Promise<unknown> {
  const deadline = new AbortController();
  const cancel = afterOwnTime(request.scheduler, request.timeoutMs, () => deadline.abort());
  return answerOf(request, anySignal(deadline.signal, request.signal)).finally(cancel);
}

async function answerOf({ serverUrl, call, webrtc }: MatchRequest, signal: AbortSignal): Promise<unknown> {
  const url = `${serverUrl}/match/${call.method}/${encodeURIComponent(call.target)}`;
  const { options, token, credentials, build, terms } = call;
  const authToken = await credentials?.token(signal);
  const seat = claimOf(call);
  const wish: MatchBody = {
    version: PROTOCOL_VERSION,
    options,
    webrtc,
    token,
    authToken,
    seat,
    build,
    ...terms,
  };
  const body = JSON.stringify(wish);
  let response: Response | undefined;
  let answer: unknown;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal,
    });
    answer = await response.json();
  } catch (cause) {
    // The answer is not JSON: it comes from a proxy or from another kind of server.
    if (!response || !(cause instanceof SyntaxError)) {
      throw new NetError(
        "match/unreachable",
        `no answer from ${serverUrl}: start the server, or check address and port`,
        { retryable: true, cause },
      );
    }
  }
  if (!response.ok) throw refusalOf(answer, response.status);
  return answer;
}

/** Returns the seat to claim, or undefined if there is none or another player had it. */
function claimOf({ seat, credentials }: JoinCall): SeatClaim | undefined {
  if (!seat || seat.who !== whoOf(credentials)) return undefined;
  const { session, token, ifAway, received } = seat;
  return { session, token, ifAway, received };
}

function refusalOf(answer: unknown, status: number): NetError {
  const { error }: Unchecked<RefusalAnswer> = fieldsOf(answer);
  const { code, message }: Unchecked<RefusalAnswer["error"]> = fieldsOf(error);
  const words =
    typeof message === "string"
      ? message
      : `the server answered with status ${status}, not as Paceline does: check address, port and proxy`;
  return netError(code, words, status === 429 || status >= 500);
}

function seatOf(answer: unknown, serverUrl: string): Seat {
  const { version, ticket, roomName, linkPath }: Unchecked<MatchAnswer> = fieldsOf(answer);
  if (typeof version === "number" && version !== PROTOCOL_VERSION) {
    throw new NetError(
      "session/version",
      `the server speaks version ${version}, not ${PROTOCOL_VERSION}: update the older of the two`,
    );
  }
  const isComplete =
    version === PROTOCOL_VERSION &&
    typeof ticket === "string" &&
    typeof roomName === "string" &&
    typeof linkPath === "string";
  // A WebSocket accepts neither a fragment in its address nor a subprotocol that is not an HTTP token.
  if (!isComplete || !/^\/[^\s#]*$/.test(linkPath) || !/^[\w.-]{1,1024}$/.test(ticket)) {
    throw new NetError("match/bad-answer", "the server's answer is not a seat");
  }
  return { ticket, roomName, linkUrl: linkUrlOf(serverUrl, linkPath) };
}
