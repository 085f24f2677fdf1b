export { profiles, type Genre, type ProfileChoice, type Scheduler } from "@paceline/transport";
