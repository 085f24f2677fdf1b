import { ConfigError } from "@paceline/client";
import { expect, test } from "vitest";
import { serverUrlOf } from "../src/connection/endpoint.js";

test.each([
  ["http://localhost:2567", "http://localhost:2567"],
  ["https://play.example.com/", "https://play.example.com"],
  ["ws://10.0.0.1:80", "http://10.0.0.1"],
  ["wss://play.example.com/games/", "https://play.example.com/games"],
  ["https://user:pw@play.example.com/a?b=c#d", "https://play.example.com/a"],
])("%s is the server %s", (endpoint, url) => {
  expect(serverUrlOf(endpoint)).toBe(url);
});

test.each([
  undefined,
  null,
  5,
  "",
  "localhost:2567",
  "//play.example.com",
  "ftp://play.example.com",
  "javascript:alert(1)",
])("%s is no address of a server", (endpoint) => {
  expect(() => serverUrlOf(endpoint)).toThrow(ConfigError);
  expect(() => serverUrlOf(endpoint)).toThrow(/^endpoint: expected an http\(s\) or ws\(s\) address/);
});
