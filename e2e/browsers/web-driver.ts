/**
 * A client for the part of the W3C WebDriver protocol that a race needs. https://www.w3.org/TR/webdriver2/
 */

interface KeyAction {
  type: "keyDown" | "keyUp";
  value: string;
}

/** A request that the driver refused, or an error of a script in the page. */
class WebDriverError extends Error {
  override readonly name = "WebDriverError";
}

/** Wraps a function so that the page awaits its promise, and returns its error as a value. */
const ASYNC_SCRIPT = (work: string): string => `
  const [argument, done] = arguments;
  Promise.resolve()
    .then(() => (${work})(JSON.parse(argument)))
    .then((value) => done({ value: JSON.stringify(value) }), (error) => done({ error: [String(error), error?.stack ?? ""].join("\\n") }));
`;

export class WebDriverSession {
  readonly #base: string;

  private constructor(base: string) {
    this.#base = base;
  }

  static async isReady(driverUrl: string): Promise<boolean> {
    try {
      await call(driverUrl, "GET", "/status");
      return true;
    } catch {
      return false;
    }
  }

  static async start(driverUrl: string, capabilities: object): Promise<WebDriverSession> {
    const answer = await call(driverUrl, "POST", "/session", { capabilities: { alwaysMatch: capabilities } });
    const { sessionId } = answer as { sessionId: string };
    const session = new WebDriverSession(`${driverUrl}/session/${sessionId}`);
    await call(session.#base, "POST", "/timeouts", { script: 30_000, pageLoad: 30_000 });
    return session;
  }

  /** Sets the size of the window with its frame. The page inside is slightly smaller. */
  async resize(size: { width: number; height: number }): Promise<void> {
    await call(this.#base, "POST", "/window/rect", { x: 0, y: 0, ...size });
  }

  async open(url: string): Promise<void> {
    await call(this.#base, "POST", "/url", { url });
  }

  /** Handles of all windows and tabs. */
  async windows(): Promise<string[]> {
    return (await call(this.#base, "GET", "/window/handles")) as string[];
  }

  async switchTo(handle: string): Promise<void> {
    await call(this.#base, "POST", "/window", { handle });
  }

  /** Closes the current window. */
  async closeWindow(): Promise<void> {
    await call(this.#base, "DELETE", "/window");
  }

  async evaluate(work: string, argument: unknown): Promise<unknown> {
    const body = { script: ASYNC_SCRIPT(work), args: [JSON.stringify(argument ?? null)] };
    const answer = (await call(this.#base, "POST", "/execute/async", body)) as {
      value?: string;
      error?: string;
    };
    if (answer.error !== undefined) throw new WebDriverError(answer.error);
    return answer.value === undefined || answer.value === null ? undefined : JSON.parse(answer.value);
  }

  async pressKeys(actions: KeyAction[]): Promise<void> {
    await call(this.#base, "POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from((await call(this.#base, "GET", "/screenshot")) as string, "base64");
  }

  async end(): Promise<void> {
    await call(this.#base, "DELETE", "");
  }
}

async function call(base: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(40_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
  if (!response.ok) throw new WebDriverError(`${method} ${path}: ${value?.error}: ${value?.message}`);
  return value;
}
