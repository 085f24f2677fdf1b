import type {
  Participant,
  ParticipantCallbacks,
  RelayRoom,
  RoomAuthority,
  RoomCallbacks,
} from "../src/index.js";

interface Callbacks {
  readonly onOpen?: (room: RelayRoom) => void;
  readonly room?: Partial<RoomCallbacks>;
  readonly player?: (participant: Participant) => Partial<ParticipantCallbacks>;
}

const none = (): undefined => undefined;

/** Returns an authority that admits everybody, with other callbacks where a test gives them. */
export function authority({ onOpen = none, room = {}, player = () => ({}) }: Callbacks = {}): RoomAuthority {
  const join = (participant: Participant): Promise<undefined> => {
    participant.callbacks = {
      tick: 0,
      receive: none,
      receiveEvent: none,
      receiveState: none,
      receiveInput: none,
      acknowledged: none,
      dropped: none,
      returned: none,
      left: none,
      ...player(participant),
    };
    return Promise.resolve(undefined);
  };
  return {
    authorize: ({ options }) => Promise.resolve({ auth: true, options }),
    open: (opened) => {
      onOpen(opened);
      const info = { tickHz: 10, kinds: [], inputHash: 0 };
      return Promise.resolve({ info, join, draining: none, close: none, ...room });
    },
  };
}
