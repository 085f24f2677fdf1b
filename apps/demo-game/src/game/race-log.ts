export interface LoggedLap {
  readonly from: string;
  readonly lap: number;
  readonly timeMs: number;
}

export interface LoggedChat {
  readonly from: string;
  readonly text: string;
}

const MAX_ENTRIES = 1000;

/** The other drivers' laps and all chat in order of arrival, for the console and for tests. */
export class RaceLog {
  readonly laps: LoggedLap[] = [];
  readonly chat: LoggedChat[] = [];

  addLap(from: string, lap: number, timeMs: number): void {
    this.laps.push({ from, lap, timeMs });
    if (this.laps.length > MAX_ENTRIES) this.laps.shift();
  }

  addChat(from: string, text: string): void {
    this.chat.push({ from, text });
    if (this.chat.length > MAX_ENTRIES) this.chat.shift();
  }
}
