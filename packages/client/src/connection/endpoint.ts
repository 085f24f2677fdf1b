import { ConfigError } from "@paceline/protocol";

/**
 * Returns the server's http(s) address, without a slash at its end, from an http, https, ws or wss address.
 */
export function serverUrlOf(endpoint: unknown): string {
  const expected = "an http(s) or ws(s) address such as https://play.example.com";
  const url = typeof endpoint === "string" && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const schemes = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" };
  const scheme = schemes[url?.protocol as keyof typeof schemes];
  if (!url || !scheme) throw new ConfigError("endpoint", endpoint, expected);
  return `${scheme}//${url.host}${url.pathname}`.replace(/\/+$/, "");
}
