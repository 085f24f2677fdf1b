/** Codes of `NetError` and their meanings. docs/ERRORS.md is generated from this table. */
export const errorCodes = {
  "match/unreachable": "The server did not answer the match request.",
  "match/unknown-room": "The server has no kind of room of that name.",
  "match/not-found": "No room fits: none is open (join), or none has that id (joinById).",
  "match/full": "The room, or the server, takes nobody more.",
  "match/outdated": "The room is of another build of the game; the message names both.",
  "match/bad-request": "The server refused the request as malformed.",
  "match/rate-limited":
    "Too many match requests from this address, or it has its share of a busy server; try again later.",
  "match/refused": "The room's authority does not let this player in; the message says why.",
  "match/unauthorized":
    "The room wants proof of who the player is: the token is missing, expired or wrong; the message says why.",
  "match/auth-unavailable": "The server cannot check tokens at the moment; try again later.",
  "match/room-failed": "The room could not be opened: its authority failed.",
  "match/queue-ended":
    "Waiting for a match has ended without one: cancelled, nobody found in time, or the server takes nobody new.",
  "match/bad-answer": "The server's answer makes no sense: is it a Paceline server of this version?",
  "session/refused": "The server refused the ticket or token.",
  "session/expired":
    "The ticket's time was over, or it was used before, or the server has forgotten the session.",
  "session/origin": "The server does not allow this page's origin or host; the message names the setting.",
  "session/version": "Client and server speak different versions of the protocol.",
  "session/ended":
    "The session has ended; the room cannot be used any more. The message of a rejected join has the server's reason, such as that of a kick; `retryable` if another join may succeed.",
  "session/code":
    "The client's code for rooms did not load: the page is offline, or something blocks it; the same call may succeed later.",
  "session/timeout": "The link did not open, or no welcome came, within the deadline.",
  "transport/unavailable": "The environment has none of the transports that are allowed.",
  "transport/closed": "The link closed before the operation ended.",
  "limit/queue":
    "Too many bytes of reliable messages wait for a receipt. `peers`: the receivers that are full and do not get the message; all others get it. Thrown if nobody gets it, otherwise reported (`room.onError`).",
  "limit/rate": "More requests to one peer within a second than it answers; this one was not sent.",
  "limit/entities": "A participant may not own more entities.",
  "request/timeout": "The peer did not answer the request in time.",
  "request/refused": "The peer has no handler for this request, or its handler failed.",
  "message/refused": "The room's authority refused a message: of no known type, or not of its schema.",
  "message/spectator": "Who only watches a room says nothing in it, and does nothing.",
  "entity/refused": "The room's authority refused an entity that this player wanted to own.",
  "entity/clamped":
    "The game wrote a value out of its field's range; the nearest bound was taken. Told once for each field of a room.",
  "store/full": "The disk that keeps saved rooms is full. The last save of each room is untouched.",
  "store/denied": "The server may not write where it keeps saved rooms; the message names the place.",
  "store/locked": "Another process keeps its rooms in that directory.",
  "store/timeout": "The store of saved rooms did not answer in time.",
  "store/failed": "The store of saved rooms failed; the message names the place and the cause.",
  "schema/mismatch": "Two builds of the game describe an entity differently.",
  "time/misfit":
    "`advance` was called with a time that cannot be meant: a count of steps, seconds, one that goes back. The message says what to write instead.",
  "time/undriven":
    "The game moves entities and calls neither `advance` nor `loop`: the SDK sends what it finds, at the profile's rate.",
  "motion/fault":
    "A motion model of the game threw, or computed no number; its entity holds the last good pose.",
} as const;
export type ErrorCode = keyof typeof errorCodes;
