/** A signal with every address in its candidates replaced: the other end is to be found at this one alone. */
export function signalThrough<Signal>(signal: Signal, address: string, port: number): Signal {
  const text = JSON.stringify(signal);
  const replaced = text.replace(
    /(candidate:\S+ \d+ udp \d+) \S+ \d+ typ/gi,
    (_, head: string) => `${head} ${address} ${port} typ`,
  );
  return JSON.parse(replaced) as Signal;
}
