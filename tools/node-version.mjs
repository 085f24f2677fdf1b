/**
 * Prints a sentence instead of a stack on an old Node. `npm start` and `npm test` import it before anything
 * else.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Paceline needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
