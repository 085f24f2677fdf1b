import { ConfigError } from "@paceline/protocol";
import type { ProfileChoice, Topology } from "@paceline/transport";
import type { RoomWords } from "./room-words.js";

/** The explanation texts of all room modes. */
export interface WordsOfRooms {
  readonly playersWords: RoomWords;
  authorityWords(this: void, stepHz: number): RoomWords;
}

/** Facts about a room's mode that its plan and its report need. */
export interface ModeFacts {
  readonly hasPairs: boolean;
  /** Returns the room's topology. The genre's topology is only a preference. */
  topologyFor(preferred: Topology): Topology;
  /** Throws {@link ConfigError} if the game itself chose a topology that the room does not have. */
  assertFits(choice: ProfileChoice): void;
  words(all: WordsOfRooms): RoomWords;
}

/** Facts about a mesh room. */
export const meshFacts: ModeFacts = {
  hasPairs: true,
  topologyFor: (preferred) => (preferred === "authority" ? "mesh" : preferred),
  assertFits: (choice) => {
    if (topologyOf(choice) !== "authority") return;
    refuse(choice, `"mesh" or "relay", or nothing: no server decides in this room`);
  },
  words: ({ playersWords }) => playersWords,
};

/** Returns the facts about an authoritative room with so many steps per second. */
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
  throw new ConfigError("profile.topology", topologyOf(choice), expected);
}
