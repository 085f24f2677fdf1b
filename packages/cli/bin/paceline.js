#!/usr/bin/env -S node --max-semi-space-size=4
// The young generation of V8's heap grows to 32 MB otherwise, and stays so; the limit cannot be set later than here.
// Old Nodes parse this file too, and therefore can say what they lack: it uses nothing newer than `import()` and `const`.
const version = process.versions.node.split(".").map(Number);
if (version[0] > 20 || (version[0] === 20 && version[1] >= 19)) {
  void import("../dist/main.js");
} else {
  console.error("paceline needs Node 20.19 or newer; this is Node " + process.versions.node + ".");
  process.exitCode = 1;
}
