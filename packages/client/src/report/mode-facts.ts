import { ConfigError } from "@paceline/protocol";
import type { ProfileChoice, Topology } from "@paceline/transport";
import type { RoomWords } from "./room-words.js";

/** The words of all kinds of rooms. */
export interface WordsOfRooms {
  readonly playersWords: RoomWords;
  authorityWords(this: void, stepHz: number): RoomWords;
}

/** Facts about a room's mode that its plan and its report depend on. */
export interface ModeFacts {
  /** Whether players may have links to each other. */
  readonly hasPairs: boolean;
  /** A genre's topology is a preference: the one that the room has then. */
  topologyFor(preferred: Topology): Topology;
  /** Throws {@link ConfigError} where the game itself asks for a topology that the room does not have. */
  assertFits(choice: ProfileChoice): void;
  /** Picks this mode's explanations from the fetched words. */
  words(all: WordsOfRooms): RoomWords;
}

/** A room that is not known yet: it may become any, and travels as one of players among themselves. */
export const unknownMode: ModeFacts = {
  hasPairs: true,
  topologyFor: (preferred) => (preferred === "authority" ? "mesh" : preferred),
  assertFits: () => undefined,
  words: ({ playersWords }) => playersWords,
};

/** A room of players among themselves. */
export const meshFacts: ModeFacts = {
  ...unknownMode,
  assertFits: (choice) => {
    if (topologyOf(choice) !== "authority") return;
    refuse(choice, `"mesh" or "relay", or nothing: no server decides in this room`);
  },
};

/** A room in which a server decides, in so many steps per second. */
export function authorityFacts(stepHz: number): ModeFacts {
  return {
    hasPairs: false,
    topologyFor: () => "authority",
    assertFits: (choice) => {
      if ((topologyOf(choice) ?? "authority") === "authority") return;
      refuse(choice, `"authority", or nothing: a server decides in this room`);
    },
    words: ({ authorityWords }) => authorityWords(stepHz),
  };
}

function topologyOf(choice: ProfileChoice): Topology | undefined {
  return typeof choice === "object" ? choice.topology : undefined;
}

function refuse(choice: ProfileChoice, expected: string): never {
  throw new ConfigError({ field: "profile.topology", value: topologyOf(choice), expected });
}
