export interface DriverOptions {
  readonly server: string;
  readonly count: number;
}

const DEFAULT_COUNT = 4;
/** The server's default limit of participants in a room. */
const MAX_COUNT = 16;

export const usage = `Usage: node dist-drivers/main.js --server http://127.0.0.1:PORT [--count 1..${MAX_COUNT}]`;

export interface DriverIdentity {
  readonly name: string;
  readonly color: string;
}

const identities: readonly DriverIdentity[] = [
  { name: "Vela", color: "#14b8c4" },
  { name: "Bruno", color: "#9b51e0" },
  { name: "Ines", color: "#f2b632" },
  { name: "Otto", color: "#27ae60" },
  { name: "Mika", color: "#ff7ab6" },
];

/** Name and colour of a computer driver; after the end of the list, names repeat with a number. */
export function identityOf(index: number): DriverIdentity {
  const { name, color } = identities[index % identities.length] as DriverIdentity;
  const round = Math.floor(index / identities.length);
  return { name: round === 0 ? name : `${name} ${round + 1}`, color };
}

/** Throws an error whose message tells the user what to correct. */
export function readOptions(argv: readonly string[]): DriverOptions {
  const values = new Map<string, string>();
  for (let i = 0; i < argv.length; i += 2) {
    const [name, value] = [argv[i] as string, argv[i + 1]];
    if (name !== "--server" && name !== "--count") throw new Error(`unknown option ${name}`);
    if (value === undefined) throw new Error(`${name} needs a value`);
    values.set(name, value);
  }
  const server = values.get("--server");
  if (server === undefined || !URL.canParse(server))
    throw new Error("--server must be the address of the server");
  const count = Number(values.get("--count") ?? DEFAULT_COUNT);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) {
    throw new Error(`--count must be a whole number from 1 to ${MAX_COUNT}, not ${values.get("--count")}`);
  }
  return { server, count };
}
