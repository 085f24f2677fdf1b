import { NetError, type Room } from "@paceline/client";
import { GamepadInput } from "../input/gamepad.js";
import { Keyboard } from "../input/keyboard.js";
import { TouchPads, hasTouch } from "../input/touch.js";
import type { InputSource } from "../input/drive-command.js";
import { invitationUrl, newFriendsName, type Invitation } from "../net/invitation.js";
import { ForbiddenServerError, joinRace, joinUntilItWorks, troubleInWords } from "../net/join-race.js";
import type { DriverCard } from "../race/race-messages.js";
import { CameraRig } from "../render/camera.js";
import { Minimap } from "../render/minimap.js";
import { Scene } from "../render/scene.js";
import { RaceSound } from "../sound/race-sound.js";
import { pacelineRing } from "../track/paceline-ring.js";
import { element } from "../ui/element.js";
import { NetworkPanel } from "../ui/network-panel.js";
import { RaceScreen } from "../ui/race-screen.js";
import { StartScreen, type DriverChoice } from "../ui/start-screen.js";
import { Attract } from "./attract.js";
import { inSlices } from "./in-slices.js";
import { exposeForDebugging } from "./debug-handle.js";
import type { RaceGame } from "./race-game.js";
import {
  COLORS,
  PROFILES,
  readSettings,
  readSound,
  safeStorage,
  storeDriver,
  storeSound,
  type Settings,
} from "./settings.js";

/**
 * The page. Shows the start screen, joins a race, runs it, and returns to the start screen after it has left.
 */
export class App {
  readonly #settings: Settings;
  readonly #scene: Scene;
  readonly #minimap: Minimap;
  #attract: Attract | undefined;
  readonly #start: StartScreen;
  readonly #screen: RaceScreen;
  readonly #sound = new RaceSound();
  readonly #rig = new CameraRig();
  readonly #inputs: readonly InputSource[];
  readonly #root: HTMLElement;
  #game: RaceGame | undefined;
  #panel: NetworkPanel | undefined;
  #invitation: Invitation | undefined;
  #mode: string;
  #joining: AbortController | undefined;
  #isShowing = false;
  #hadInput = false;
  #unsubscribe: (() => void)[] = [];
  /** Hosts that the page's content security policy has blocked. */
  readonly #blockedHosts = new Set<string>();

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#settings = readSettings(location.search, location.origin, safeStorage());
    this.#invitation = this.#settings.invitation;
    this.#mode = this.#settings.mode;
    const canvas = element("canvas", {
      class: "world",
      attributes: { role: "img", "aria-label": "The race from above, with the cars of all drivers" },
    });
    const map = element("canvas", {
      class: "minimap",
      attributes: { role: "img", "aria-label": "Map of the track" },
    });
    this.#screen = new RaceScreen({
      onInvite: () => this.#toggleInvite(),
      onShow: () => void this.#openShow(),
      onKillPath: () => this.#game?.killPath(),
      onPanel: () => this.#panel?.toggle(),
      onCamera: () => this.#rig.toggle(),
      onSound: () => this.#toggleSound(),
      onReset: () => this.#game?.resetToTrack(),
      onSay: (text) => this.#game?.say(text),
    });
    this.#start = new StartScreen(
      this.#settings,
      COLORS,
      (choice) => void this.#race(choice),
      () => void this.#openShow(),
    );
    root.append(canvas, this.#screen.root, map, this.#start.root);
    this.#scene = new Scene(canvas);
    this.#minimap = new Minimap(map);
    this.#inputs = this.#makeInputs();
  }

  run(): void {
    this.#root.classList.add("at-start");
    this.#start.focus();
    performance.mark("usable");
    // Drawing the world takes long, so the browser paints the start screen first.
    requestAnimationFrame(() => setTimeout(() => void this.#beginAttract()));
    this.#showInvitation();
    const { complaints } = this.#settings;
    if (complaints.length > 0) this.#start.say(`In this page's address: ${complaints.join(" ")}`, true);
    document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
      if (URL.canParse(blockedURI)) this.#blockedHosts.add(new URL(blockedURI).host);
    });
    if (this.#settings.isShow) void this.#openShow();
    if (this.#settings.autostart) void this.#race(this.#settings);
  }

  async #beginAttract(): Promise<void> {
    await inSlices(this.#scene.prepare(pacelineRing));
    const attract = new Attract(this.#scene, this.#minimap);
    await inSlices(attract.warmUp());
    this.#attract = attract;
    if (this.#game === undefined && !this.#start.root.hidden && !this.#isShowing) attract.start();
  }

  #makeInputs(): InputSource[] {
    const inputs: InputSource[] = [
      new Keyboard(window, (code) => this.#onShortcut(code)),
      new GamepadInput(),
    ];
    if (hasTouch()) {
      const pads = new TouchPads();
      this.#screen.root.append(pads.root);
      this.#root.classList.add("with-touch");
      inputs.push(pads);
    }
    return inputs;
  }

  #onShortcut(code: string): boolean {
    if (this.#game === undefined) return false;
    const shortcuts: Record<string, () => void> = {
      KeyI: () => this.#toggleInvite(),
      KeyN: () => void this.#openShow(),
      KeyK: () => this.#game?.killPath(),
      KeyC: () => this.#rig.toggle(),
      KeyM: () => this.#toggleSound(),
      KeyR: () => this.#game?.resetToTrack(),
      KeyP: () => this.#panel?.toggle(),
      Enter: () => this.#screen.chat.focus(),
    };
    // Tab moves the focus into the open panel; without a panel the browser handles it.
    if (this.#panel?.isOpen && document.activeElement === document.body) {
      shortcuts["Tab"] = () => this.#panel?.focus();
      shortcuts["Escape"] = () => this.#panel?.close();
    }
    // A click on a button of the invitation takes the focus out of it.
    if (this.#screen.invite.isOpen) shortcuts["Escape"] = () => this.#screen.invite.hide();
    const action = shortcuts[code];
    action?.();
    return action !== undefined;
  }

  /**
   * Switches the sound on at the player's first input, before which browsers forbid it, unless it was muted.
   */
  #firstInput(event: Event): void {
    const isSoundItself =
      event instanceof KeyboardEvent ? event.code === "KeyM" : this.#screen.isSoundButton(event.target);
    if (this.#hadInput || isSoundItself) return;
    this.#hadInput = true;
    if (!this.#sound.isOn && readSound(safeStorage())) this.#toggleSound();
  }

  #toggleInvite(): void {
    const room = this.#game?.participant.room;
    if (room === undefined) return;
    const named = this.#invitation && "friends" in this.#invitation ? this.#invitation.friends : room.roomId;
    this.#screen.invite.toggle(invitationUrl(location.href, this.#mode, named));
  }

  /** Shows in the start screen with whom the player will race. */
  #showInvitation(): void {
    const invitation = this.#invitation;
    if (!invitation) {
      const text = "Three laps. Everyone on the track is a real connection.";
      this.#start.showRace(text, "Race among friends", () => this.#invite({ friends: newFriendsName() }));
      return;
    }
    const name = "friends" in invitation ? `the race ${invitation.friends}` : "a friend's race";
    const text = `You join ${name}. Three laps.`;
    this.#start.showRace(text, "Race with anybody", () => this.#invite(undefined));
  }

  #invite(invitation: Invitation | undefined): void {
    this.#joining?.abort();
    this.#start.say("");
    this.#invitation = invitation;
    const url = new URL(location.href);
    url.searchParams.delete("room");
    if (invitation && "friends" in invitation) url.searchParams.set("room", invitation.friends);
    history.replaceState(undefined, "", url);
    this.#showInvitation();
  }

  /** Loads the show and opens it. The race goes on behind it; the race behind the start screen stops. */
  async #openShow(): Promise<void> {
    if (this.#isShowing) return;
    this.#isShowing = true;
    try {
      const { ShowView } = await import("../show/index.js");
      const isInLobby = this.#game === undefined;
      if (isInLobby) this.#attract?.stop();
      new ShowView(() => {
        this.#isShowing = false;
        if (isInLobby && this.#game === undefined) this.#attract?.start();
      }).open();
    } catch (error) {
      this.#isShowing = false;
      const detail = error instanceof Error ? error.message : String(error);
      const title = "“What the network does” could not be loaded";
      if (this.#game === undefined) this.#start.say(`${title}: ${detail}`, true);
      else this.#screen.toasts.show({ key: "show", title, text: detail, tone: "lost" });
    }
  }

  #toggleSound(): void {
    this.#sound.toggle();
    this.#screen.showSound(this.#sound.isOn);
    storeSound(safeStorage(), this.#sound.isOn);
  }

  async #race(choice: DriverChoice): Promise<void> {
    if (this.#joining !== undefined) return;
    const joining = new AbortController();
    this.#joining = joining;
    this.#mode = choice.mode;
    storeDriver(safeStorage(), choice);
    this.#start.setBusy(true);
    this.#start.say("");
    let Game: typeof RaceGame | undefined;
    const room = await joinUntilItWorks(
      async () => {
        // Loaded before the room is joined: messages that nobody listens to are lost.
        ({ RaceGame: Game } = await import("./race-game.js"));
        return this.#join(choice);
      },
      (error, retryInMs) => this.#onJoinFailure(error, retryInMs, joining, choice),
      joining.signal,
    );
    // A newer attempt may have replaced this one.
    if (this.#joining !== joining) return;
    this.#joining = undefined;
    this.#start.setBusy(false);
    if (room !== undefined && Game !== undefined) this.#enter(Game, room, choice);
  }

  async #join(choice: DriverChoice): Promise<Room> {
    const { isSpectator, mode } = choice;
    const { server } = this.#settings;
    const invitation = this.#invitation;
    try {
      return await joinRace({ ...this.#settings, invitation, mode, driver: cardOf(choice), isSpectator });
    } catch (error) {
      // The browser reports a request that the page's policy forbids in a task of its own, after the request failed.
      await new Promise((resolve) => setTimeout(resolve));
      throw this.#blockedHosts.has(new URL(server).host) ? new ForbiddenServerError(server) : error;
    }
  }

  #onJoinFailure(
    error: unknown,
    retryInMs: number | undefined,
    joining: AbortController,
    choice: DriverChoice,
  ): void {
    const detail = error instanceof Error ? error.message : String(error);
    const code = error instanceof NetError ? error.code : undefined;
    if (code === "match/not-found" || (code === "match/full" && retryInMs === undefined))
      return this.#onNoPlace(code === "match/full", detail);
    this.#start.say(troubleInWords(error, this.#settings.server, navigator.onLine), true, detail);
    if (retryInMs === undefined) return;
    this.#start.offer("Try now", () => {
      joining.abort();
      this.#joining = undefined;
      void this.#race(choice);
    });
    this.#start.offer("Cancel", () => {
      joining.abort();
      this.#start.say("");
    });
    this.#start.countDown(retryInMs);
  }

  #onNoPlace(isFull: boolean, detail: string): void {
    const text = isFull
      ? "This race is full: every place is taken."
      : "This race is over, or the link is incomplete.";
    this.#start.say(text, true, detail);
    this.#start.offer("Race with anybody", () => this.#invite(undefined));
  }

  #enter(Game: typeof RaceGame, room: Room, choice: DriverChoice): void {
    this.#attract?.stop();
    this.#root.classList.remove("at-start");
    this.#start.root.hidden = true;
    // Until the next frame, keys would still go to the hidden field that had the focus.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const game = new Game(room, cardOf(choice), {
      scene: this.#scene,
      minimap: this.#minimap,
      screen: this.#screen,
      sound: this.#sound,
      rig: this.#rig,
      inputs: this.#inputs,
    });
    this.#game = game;
    // Starting the sound takes a tenth of a second, so the game handles the input first.
    const onInput = (event: Event): unknown => setTimeout(() => this.#firstInput(event));
    for (const type of ["keydown", "pointerup"]) window.addEventListener(type, onInput, { once: true });
    this.#panel = new NetworkPanel(room, {
      profiles: PROFILES,
      cardOf: (peer) => game.participant.cardOf(peer),
      onToggle: (isOpen, bounds) => {
        game.isInspected = isOpen;
        this.#rig.covered = coveredBy(bounds);
      },
    });
    exposeForDebugging(game);
    this.#watch(room, choice);
  }

  #watch(room: Room, choice: DriverChoice): void {
    this.#unsubscribe = [
      room.onLeave((_code, reason) => {
        this.#leave();
        const why = reason === "" ? "The connection was closed." : `Disconnected: ${reason}`;
        this.#start.say(why, true);
        this.#start.offer("Join again", () => void this.#race(choice));
      }),
    ];
  }

  #leave(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#game?.dispose();
    this.#screen.invite.hide();
    this.#panel?.dispose();
    this.#rig.covered = { right: 0, bottom: 0 };
    this.#game = undefined;
    this.#panel = undefined;
    this.#root.classList.add("at-start");
    this.#start.root.hidden = false;
    this.#attract?.start();
  }
}

function cardOf({ name, color, isSpectator }: DriverChoice): DriverCard {
  return { name, color, isComputer: false, ...(isSpectator && { isSpectator }) };
}

/** Returns the shares of the window that the panel covers, from the right or from the bottom. */
function coveredBy({ left, top, width, height }: DOMRectReadOnly): { right: number; bottom: number } {
  if (width === 0) return { right: 0, bottom: 0 };
  const isSheet = width > innerWidth * 0.8;
  // On a phone the panel is a sheet above the pads, and the picture ends where the sheet begins.
  if (isSheet) return { right: 0, bottom: Math.min(0.7, (innerHeight - top) / innerHeight) };
  return { right: height > 0 ? Math.min(0.6, (innerWidth - left) / innerWidth) : 0, bottom: 0 };
}
