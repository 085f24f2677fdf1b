export {
  profiles,
  type Genre,
  type Profile,
  type ProfileChoice,
  type ProfileNumbers,
  type ProfileOverrides,
  type Scheduler,
} from "@paceline/transport";
