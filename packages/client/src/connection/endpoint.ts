import { ConfigError } from "@paceline/protocol";

/**
 * Returns the server's http(s) address, without a slash at its end, from an http, https, ws or wss address.
 */
export function serverUrlOf(endpoint: unknown): string {
  const expected = "an http(s) or ws(s) address such as https://play.example.com";
  if (typeof endpoint !== "string") throw new ConfigError("endpoint", endpoint, expected);
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw new ConfigError("endpoint", endpoint, expected);
  }
  const scheme = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" }[url.protocol];
  if (!scheme) throw new ConfigError("endpoint", endpoint, expected);
  return `${scheme}//${url.host}${url.pathname}`.replace(/\/+$/, "");
}
