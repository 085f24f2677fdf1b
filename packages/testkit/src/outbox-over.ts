import { Sender, type Link, type Outbox, type Scheduler } from "@paceline/transport";

/** An outbox in front of one link, for whole packets; its owner calls `pump` when the link has room. */
export function outboxOver(link: Link, scheduler: Scheduler): Outbox {
  return new Sender({
    scheduler,
    linkFor: () => link,
    currentTick: () => 0,
    takeAcks: () => ({}),
  }).outbox;
}
